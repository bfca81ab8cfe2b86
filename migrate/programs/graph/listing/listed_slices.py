"""``tf.trainable_variables()[9:]``: some of the variables, by their places in the list.

TF 1 lists variables as they are made. The list that is written has the same order and as many
variables where layers have in Keras what they had in TF 1; recurrent ones haven't.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Value

REASON = "some of the variables by their places, which aren't those of TF 1"


def found(walker: Any, owner: Value, node: ast.Subscript) -> Value | None:
    """A slice of such a list; None where it is another one's.

    Raises:
        Blocked: the variables may have other places.
    """
    if not isinstance(node.slice, ast.Slice):
        return None
    entries = walker.listed.get(id(_made(walker, node.value)))
    if entries is None:
        return None
    bounds = (node.slice.lower, node.slice.upper)
    plain = all(b is None or _number(b) or _counted(walker, b) for b in bounds)
    plain = plain and node.slice.step is None
    if not plain or any(o.cell is not None or o.made or o.mixed or o.when for o in entries):
        raise Blocked(node, REASON)
    return Value(owner.kind, owner.data)


def _made(walker: Any, node: ast.expr) -> ast.expr:
    """The expression that gave a name its list."""
    symbol = walker.frame.env.get(node.id) if isinstance(node, ast.Name) else None
    stmt = symbol.step.node if symbol is not None else None
    return stmt.value if isinstance(stmt, ast.Assign) else node


def _counted(walker: Any, node: ast.expr) -> bool:
    """Whether a bound is Python's, as ``len(variables) // 2`` is of a list that Python has."""
    return bool(walker.expression(node).kind is Kind.HOST)


def _number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, int)
