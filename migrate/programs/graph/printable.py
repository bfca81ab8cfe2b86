"""What may be printed where the graph is built: a placeholder's spec, a variable."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Kind, Step, Value

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


def beside(walker: Any, node: ast.Call) -> bool:
    """Whether a block that makes tensors prints some: it goes into a function as a whole."""
    sink = walker.sink
    if sink.region is None or sink.node is node or not isinstance(walker.stmt, ast.Expr):
        return False
    walker.kept.setdefault(("printed beside",), {}).setdefault(sink, node)
    return True


def check(walker: Any, step: Step) -> None:
    """See that a block which prints tensors makes some.

    Raises:
        Blocked: no function has it.
    """
    node = walker.kept.get(("printed beside",), {}).get(step)
    if node is not None and step.kind is not Kind.TENSOR:
        raise Blocked(node, "a tensor is given to `print`")
