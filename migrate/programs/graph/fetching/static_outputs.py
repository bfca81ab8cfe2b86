"""Transposed convolutions, whose output has the static shape that TF 1 was told.

TF 2.21 takes the batch's size from the input, which a function may not know: what reads the shape
behind it would find None. `tf.ensure_shape` says it again.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph import meaning
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.wording.spelled import Spelled

CALLS = frozenset({T + "nn.conv2d_transpose", T + "nn.atrous_conv2d_transpose"})
REASON = "the static shape of a transposed convolution"
BUILTINS = frozenset({"int", "float", "round", "len", "max", "min", "abs"})


def check(walker: Any, name: str, node: ast.Call) -> None:
    """See whether such a call has to say its shape.

    Raises:
        Spelled: it has.
        Blocked: it has, and that can't be written.
    """
    shape = walker.bound(name, node).get("output_shape")
    if name not in CALLS or shape is None or walker.expression(shape).kind is not Kind.HOST:
        return  # a tensor's: TF 1 doesn't know it either
    if _said(walker, node) or not _open(walker):
        return
    text = ast.unparse(node.func)
    root, _, _ = text.rpartition(".nn.")
    pure = all(
        isinstance(n.func, ast.Name)
        and (n.func.id in BUILTINS or walker._module_function(n.func) is not None)
        for n in all_of(shape, ast.Call)
    )
    if not root or not pure:
        raise Blocked(node, REASON)
    raise Spelled(
        node,
        REASON,
        [(node, lambda source: f"{root}.ensure_shape({source(node)}, {source(shape)})")],
    )


def _said(walker: Any, node: ast.Call) -> bool:
    """Whether a call's result goes straight to what tells its shape."""
    return any(
        isinstance(n, ast.Call)
        and n.args[:1] == [node]
        and walker.endpoints.get(id(n.func)) == T + "ensure_shape"
        for n in walk(walker.tree)
    )


def _open(walker: Any) -> bool:
    """Whether the size of a batch may be unknown anywhere in the program."""
    for tree in walker.program():
        for n in walk(tree):
            endpoint = walker.endpoints.get(id(n.func), "") if isinstance(n, ast.Call) else ""
            if endpoint.startswith(T + "data.") or "iterator" in endpoint:
                return True
            if endpoint not in meaning.PLACEHOLDERS:
                continue
            shape = walker.bound(endpoint, n).get("shape")
            listed = shape.elts if isinstance(shape, (ast.List, ast.Tuple)) else []
            first = listed[0] if listed else ast.Constant(None)
            if isinstance(first, ast.Constant) and not isinstance(first.value, int):
                return True
    return False
