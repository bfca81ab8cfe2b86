"""Sequential models that `add` fills, as ones of a list.

model = tf.keras.Sequential()                     model = tf.keras.Sequential([
model.add(tf.keras.layers.Dense(8))                   tf.keras.layers.Dense(8),
model.add(tf.keras.layers.Dense(1))                   tf.keras.layers.Dense(1),
                                                  ])
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.engine.findings import Edit
from migrate.engine.trees import all_of, walk
from migrate.rewriters.estimators.models.own_layers import SEQUENTIAL
from migrate.rewriters.estimators.syntax import alone
from migrate.rewriters.sessions.text import Text


def edits(tree: ast.Module, text: Text, called: Callable[[ast.AST | None], str]) -> Iterator[Edit]:
    """The edits of one file: of functions whose `add`s stand right below the model."""
    for function in all_of(tree, ast.FunctionDef):
        for node in walk(function):
            for body in (getattr(node, name, None) for name in ("body", "orelse")):
                if isinstance(body, list):
                    yield from _body(function, body, text, called)


def _body(
    function: ast.FunctionDef,
    body: list[ast.stmt],
    text: Text,
    called: Callable[[ast.AST | None], str],
) -> Iterator[Edit]:
    for at, stmt in enumerate(body):
        if not isinstance(stmt, ast.Assign) or called(stmt.value) not in SEQUENTIAL:
            continue
        call, target = stmt.value, stmt.targets[0]
        assert isinstance(call, ast.Call)
        if call.args or call.keywords or len(stmt.targets) > 1 or not isinstance(target, ast.Name):
            continue
        layers: list[ast.expr] = []
        for each in body[at + 1 :]:
            layer = _added(each, target.id)
            if layer is None or not alone(each, text):
                break
            layers.append(layer)
        names = [n for n in all_of(function, ast.Name) if n.id == target.id]
        every = [n for n in walk(function) if _added(n, target.id) is not None]
        if not layers or len(every) != len(layers) or not alone(stmt, text):
            continue
        if sum(not isinstance(n.ctx, ast.Load) for n in names) > 1:
            continue
        first, last = text.piece(stmt), text.piece(body[at + len(layers)])
        inner = first.indent + text.unit
        said = [" ".join(text.source(layer).split()) for layer in layers]
        out = f"{first.indent}{text.source(target)} = {text.source(call.func)}([\n"
        out += "".join(f"{inner}{layer},\n" for layer in said) + f"{first.indent}])\n"
        yield Edit(text.start(first.line), text.start(last.last + 1), out)


def _added(stmt: ast.AST, name: str) -> ast.expr | None:
    """The layer that a statement adds to a model."""
    call = stmt.value if isinstance(stmt, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr != "add" or not isinstance(call.func.value, ast.Name):
        return None
    if call.func.value.id != name or len(call.args) != 1 or call.keywords:
        return None
    return None if isinstance(call.args[0], ast.Starred) else call.args[0]
