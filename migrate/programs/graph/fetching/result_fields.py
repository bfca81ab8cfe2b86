"""Fields of what an op gives: ``tf.nn.top_k(x, 3).indices``, a named tuple in TF 1 and in TF 2."""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value

FIELDS = {
    T + "nn.top_k": ("values", "indices"),
    T + "math.top_k": ("values", "indices"),
    T + "unique": ("y", "idx"),
    T + "unique_with_counts": ("y", "idx", "count"),
    T + "setdiff1d": ("out", "idx"),
}


def read(walker: Any, owner: Value, node: ast.Attribute) -> Value | None:
    """A field of such an op's result, which may have a name."""
    if owner.kind not in (Kind.TENSOR, Kind.CONST):
        return None
    made = node.value
    if isinstance(made, ast.Name):
        symbol = walker.symbol_of(made)
        step = symbol.step.node if symbol is not None else None
        if isinstance(step, ast.Assign) and [ast.unparse(t) for t in step.targets] == [made.id]:
            made = step.value
    called = walker.endpoints.get(id(made.func), "") if isinstance(made, ast.Call) else ""
    return Value(owner.kind) if node.attr in FIELDS.get(called, ()) else None
