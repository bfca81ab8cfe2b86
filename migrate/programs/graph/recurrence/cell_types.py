"""Cells of float64, whose variables have the type of what they are applied to.

TF 1 makes them so, whatever a loop or a state is told: it mixes no types, so that all that names
a type names that one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from typing import Any

from migrate.programs.graph.layering import doubles
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked
from migrate.programs.graph.recurrence.cells import Cells
from migrate.programs.graph.sizing import dtypes

TYPED = "typed"  # what a module's cells need
# Those whose variables all have it.
KNOWN = frozenset(
    """
    BasicRNNCell BasicLSTMCell LSTMCell GRUCell NASCell MultiRNNCell DropoutWrapper ResidualWrapper
    """.split()  # noqa: SIM905
)
DOUBLE = frozenset(
    (T + "float64", T + "double", "float64", "double", "np.float64", "numpy.float64"),
)


def is_double(walker: Any, node: ast.expr) -> bool:
    """Whether a type that is given is float64, as written."""
    endpoint = walker.endpoints.get(id(node))
    return (endpoint or ast.unparse(node).strip("'\"")) in DOUBLE


def said(walker: Any, node: ast.expr) -> bool | None:
    """Whether cells are told float64; None: what they are told has to be seen to."""
    if is_double(walker, node):
        walker.expression(node)
        return True
    of = node.value if isinstance(node, ast.Attribute) and node.attr == "dtype" else None
    if of is None:
        return None
    walker.expression(node)
    symbol = walker.symbol_of(of)
    uses = [symbol] if symbol is not None else []
    if doubles.surely(walker, of):
        return True
    return False if dtypes.is_single(walker, of, uses) else None


def made(walker: Any, name: str, node: ast.expr) -> bool:
    """Whether a cell is made with a type that is seen to.

    Raises:
        Blocked: it is float64, which the cell isn't known to take.
    """
    told = said(walker, node)
    if told:
        _needed(walker, node, {name})
    return told is not None


def over(walker: Any, inputs: ast.expr, double: bool, cells: Iterable[Cells]) -> None:
    """Cells that are applied to a tensor, and what the call has said.

    Raises:
        Blocked: it is of float64, and the cells aren't known to take that.
    """
    if not double and not doubles.surely(walker, inputs):
        return
    for each in cells:
        _needed(walker, inputs, {each.kind} if each.kind else each.names)


def _needed(walker: Any, at: ast.expr, names: Set[str]) -> None:
    walker.kept.setdefault("recurrent", set()).add(TYPED)
    if not names <= KNOWN:
        raise Blocked(at, "a cell of another type than float32")
