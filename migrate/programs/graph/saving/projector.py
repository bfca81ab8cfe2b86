"""``embedding.tensor_name = w.name``: what TensorBoard's projector looks for in a checkpoint.

TF 1's checkpoints have the names of variables, TF 2's the way to them from the object that is
saved: ``"w/.ATTRIBUTES/VARIABLE_VALUE"``.

https://www.tensorflow.org/tensorboard/tensorboard_projector_plugin
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import HOST, Blocked, Kind, Value

FIELD = "tensor_name"
PLUGINS = "tensorboard.plugins"
SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
NEEDS = "TensorBoard's projector, by `pip install tensorboard`: TensorFlow 2.21 doesn't bring it"


def named(walker: Any, stmt: ast.Assign) -> Value | None:
    """What such an assignment sets; None for others.

    Raises:
        Blocked: the variable is named otherwise than by itself.
    """
    (target,) = stmt.targets if len(stmt.targets) == 1 else (None,)
    if not isinstance(target, ast.Attribute) or target.attr != FIELD:
        return None
    if not any(map(_brings, walk(walker.files.at(stmt).tree))):
        return None
    node = stmt.value
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        said = node.value
        walker.rewrites[id(node)] = lambda writer: _found(writer, said, node)
        return HOST
    value = walker.expression(node.value) if isinstance(node, ast.Attribute) else HOST
    if value.kind is not Kind.VARIABLE or not isinstance(node, ast.Attribute):
        raise Blocked(node, "TensorBoard's projector is told a variable by its name in TF 1")
    if node.attr != "name":
        return None
    source = ast.unparse(node)
    walker.rewrites[id(node)] = lambda writer: _key(writer, value, node, source)
    return HOST


def _brings(node: ast.AST) -> bool:
    """Whether a statement imports TensorBoard's plugins, or something of them."""
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").startswith(PLUGINS)
    return isinstance(node, ast.Import) and any(a.name.startswith(PLUGINS) for a in node.names)


def _found(writer: Any, said: str, node: ast.expr) -> str:
    """What the program's checkpoints call the variable of a name in TF 1.

    Raises:
        Blocked: it isn't seen among what they have.
    """
    writer.module.say(node, NEEDS)
    saving = [s for s in writer.module.walker.savers if s.saves]
    for saver in saving:
        for key, own in writer.module.savers.keyed(saver):
            value = saver.values.get(own)
            if value is not None and value.path == said.removesuffix(":0"):
                return f'"{key}{SUFFIX}"'
    if saving:
        raise Blocked(node, "TensorBoard's projector is told a variable by its name in TF 1")
    return str(writer.module.text.source(node))


def _key(writer: Any, value: Value, node: ast.expr, source: str) -> str:
    """What the program's checkpoints call a variable; its name where there are none.

    Raises:
        Blocked: they have it in a list, or not at all.
    """
    writer.module.say(node, NEEDS)
    saving = [s for s in writer.module.walker.savers if s.saves]
    for saver in saving:
        for key, own in writer.module.savers.keyed(saver):
            if saver.values.get(own) is value or own == source.rpartition(".")[0]:
                return f'"{key}{SUFFIX}"'
    if saving:
        raise Blocked(node, "TensorBoard's projector shows a variable whose place is a list's")
    return source
