"""Which variables of Keras 3 layers a file hands to optimizers of `tf.train`.

A Keras 3 layer's variables wrap TensorFlow's: `v.value` is one that such an optimizer updates, with
TF 1's numbers. That is written where every update of a file can be read.
"""

from __future__ import annotations

import ast

from migrate.engine.site import FileContext
from migrate.engine.trees import all_of, walk

LISTS = frozenset({"variables", "trainable_variables", "trainable_weights", "weights"})
# What takes an optimizer, or its state, by other ways.
UNREAD = frozenset({"compile", "compute_gradients", "get_slot"})
# What has such lists in TF 1 and isn't Keras's.
OWNERS = (
    "tensorflow.Module",
    "tensorflow.contrib.eager.EagerVariableStore",
    "tensorflow.contrib.eager.Network",
    "tensorflow.contrib.eager.Sequential",
    "tensorflow.contrib.layers.",
    "tensorflow.contrib.rnn.",
    "tensorflow.contrib.slim.",
    "tensorflow.layers.",
    "tensorflow.nn.rnn_cell.",
)
VARIABLES = (
    "tensorflow.Variable",
    "tensorflow.contrib.eager.Variable",
    "tensorflow.get_variable",
)


def keras_lists(file: FileContext) -> dict[ast.Call, ast.expr] | None:
    """The lists of Keras variables that updates are given; None where one can't be read."""
    if any(f"{r.name}.".startswith(OWNERS) for r in file.names.references) or _own(file):
        return None
    found = {}
    for node in walk(file.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        attr = node.func.attr
        if attr in UNREAD:
            return None
        if attr not in ("apply_gradients", "minimize"):
            continue
        if any(isinstance(a, ast.Starred) for a in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            return None
        updated = _paired(node) if attr == "apply_gradients" else _var_list(node)
        if updated is None and attr == "minimize":
            continue  # what the tape has seen: TensorFlow's own variables
        if updated is None or not _is_list(updated, file.tree):
            return None
        found[node] = updated
    return found


def _own(file: FileContext) -> bool:
    """Whether a class of the file has variables beside Keras's, or such a list of its own."""
    made = {r.node for r in file.names.references if r.name in VARIABLES}
    return any(
        below in made
        or (isinstance(below, ast.FunctionDef) and below.name in LISTS)
        or (
            isinstance(below, ast.Attribute)
            and below.attr in LISTS
            and isinstance(below.ctx, ast.Store)
        )
        for node in all_of(file.tree, ast.ClassDef)
        for below in walk(node)
    )


def _paired(call: ast.Call) -> ast.expr | None:
    """The variables of `apply_gradients(zip(gradients, variables))`."""
    pairs = _of("list", call.args[:1]) or call.args[:1]
    parts = _of("zip", pairs)
    return parts[1] if len(parts) == 2 else None


def _of(name: str, nodes: list[ast.expr]) -> list[ast.expr]:
    """The arguments of a builtin that is called."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            return node.args
    return []


def _var_list(call: ast.Call) -> ast.expr | None:
    named = [k.value for k in call.keywords if k.arg == "var_list"]
    return next(iter(call.args[2:3] + named), None)


def _is_list(node: ast.expr, tree: ast.AST) -> bool:
    """Whether an expression is a model's variables, or those of several."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_list(node.left, tree) and _is_list(node.right, tree)
    if isinstance(node, ast.Attribute):
        return node.attr in LISTS
    return isinstance(node, ast.Name) and _name_is_list(node.id, tree)


def _name_is_list(name: str, tree: ast.AST) -> bool:
    """Whether every use of a name in a file is such a list."""
    values, stored = [], 0
    for node in walk(tree):
        if isinstance(node, ast.arg) and node.arg == name:
            return False
        if isinstance(node, ast.Name) and node.id == name:
            stored += not isinstance(node.ctx, ast.Load)
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                values.append(node.value)
    return stored == len(values) > 0 and all(
        not isinstance(value, ast.Name) and _is_list(value, tree) for value in values
    )
