"""`tf.scatter_update` and its like: methods of the variable, which take `tf.IndexedSlices`.

https://www.tensorflow.org/api_docs/python/tf/Variable#scatter_update
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.walk import T, Walker, family

SLICES = ("update", "add", "sub", "mul", "div", "min", "max")


@family(
    *(f"{T}scatter_{verb}" for verb in SLICES),
    *(f"{T}scatter_nd_{verb}" for verb in ("update", "add", "sub")),
)
def scatter(walker: Walker, name: str, node: ast.Call) -> Value:
    """An assignment to some rows, or items, of a variable."""
    values = walker.arguments(node)
    given = walker.bound(name, node)
    method = name.removeprefix(T)
    ref, indices, updates = (given.get(k) for k in ("ref", "indices", "updates"))
    if ref is None or indices is None or updates is None:
        raise Blocked(node, "these arguments aren't followed")
    if walker.expression(ref).kind is not Kind.VARIABLE and walker.frame.region is not None:
        raise Blocked(ref, f"`{method}` of what isn't a variable")
    if any(v.kind in (Kind.SESSION, Kind.GRAPH, Kind.OP) for v in values):
        raise Blocked(node, "these arguments aren't followed")

    def written(writer: Any) -> str:
        what, where, of = (writer.source(n) for n in (updates, indices, ref))
        if method.startswith("scatter_nd"):
            return f"{of}.{method}({where}, {what})"
        return f"{of}.{method}({writer.tf}.IndexedSlices({what}, {where}))"

    walker.rewrites[id(node)] = written
    return walker.op(node, "assign")
