"""Variables that aren't trained by themselves, by which a gradient is taken: ``var_list=[noise]``.

TF 1 gives it. A tape of TF 2 watches by itself only what is trained, and must be told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.programs.graph.listing.collections import Owned
from migrate.programs.graph.model import Blocked, Kind, Value


def found(walker: Any, node: ast.expr) -> list[ast.expr]:
    """The parts of what a gradient is taken by that have such variables.

    Raises:
        Blocked: layers' variables, which a tape can't be told of, are beside them.
    """
    parts = node.elts if isinstance(node, (ast.List, ast.Tuple)) else [node]
    return [part for part in parts if _untrained(walker, part, walker.expression(part))]


def _untrained(walker: Any, part: ast.expr, value: Value) -> bool:
    entries = _listed(walker, part, value)
    if entries is None:
        values = [v for _, v in value.items] if value.items is not None else [value]
        nodes = {id(v.node) for v in values if v.kind is Kind.VARIABLE and v.node is not None}
        entries = [o for o in walker.owned if o.value is not None and id(o.value.node) in nodes]
    if all(o.trained or _counts(walker, o) for o in entries):
        return False
    if any(o.layer is not None or o.cell is not None for o in entries):
        raise Blocked(part, "a gradient by variables of layers and by one that isn't trained")
    return True


def _counts(walker: Any, entry: Owned) -> bool:
    """Whether a variable is a whole number, which has no gradient: a step."""
    made = entry.value.node if entry.value is not None else None
    name = walker.endpoints.get(id(made.func), "") if isinstance(made, ast.Call) else ""
    given = walker.bound(name, made) if name else {}
    start, dtype = given.get("initial_value"), given.get("dtype")
    if dtype is not None:
        return "int" in ast.unparse(dtype)
    return isinstance(start, ast.Constant) and type(start.value) is int


def _listed(walker: Any, part: ast.expr, value: Value) -> Iterable[Owned] | None:
    """What a list of a collection has, by its call or by its name."""
    symbol = value.symbol
    made = getattr(symbol.step.node, "value", None) if symbol is not None else None
    for node in (part, value.node, made):
        if id(node) in walker.listed:
            entries: Iterable[Owned] = walker.listed[id(node)]
            return entries
    return None
