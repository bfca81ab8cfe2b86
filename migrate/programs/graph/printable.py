"""What may be printed where the graph is built: a placeholder's spec, a variable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Kind, Value

THERE = frozenset({Kind.HOST, Kind.NONE, Kind.CONST, Kind.PLACEHOLDER, Kind.VARIABLE})


def stay(walker: Any, values: Iterable[Value]) -> bool:
    """Whether all that a ``print`` shows is still there, as something else to look at.

    A placeholder is a `TensorSpec` where the author made it; what stands for one elsewhere (in an
    object that was given it, in a function that another one builds) has no such name.
    """
    values = list(values)
    region = walker.frame.region
    if region is None or any(v.kind not in THERE for v in values):
        return False
    return all(
        v.symbol is not None
        and (v.symbol.step.region is region or v.symbol.attribute)
        and v.symbol not in walker.twins
        and (v.kind is Kind.VARIABLE or v.data == T + "placeholder")
        for v in values
        if v.kind in (Kind.PLACEHOLDER, Kind.VARIABLE)
    )
