"""Several tensors in one statement: ``real, fake = d(x), d(g)`` is two statements.

What moves into functions are statements. Each function takes those that it needs; one statement
that computes two tensors would have a function need what is fed for the other.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Blocked, Kind, Value
from migrate.programs.graph.spelled import Source, Spelled

NAMES = (ast.Name, ast.Attribute)


def check(walker: Any, stmt: ast.Assign, value: Value) -> None:
    """See whether a statement of the graph computes several tensors, each for a name.

    Raises:
        Spelled: it does, and they can be computed one after the other.
    """
    if walker.nested or walker.frame.region is None or not value.items:
        return
    parts = _parts(stmt)
    kinds = [item.kind for _, item in value.items]
    pairs = zip(kinds, (made for _, made in parts), strict=False)
    if len(parts) != len(kinds):
        return
    if sum(kind is Kind.TENSOR and isinstance(made, ast.Call) for kind, made in pairs) > 1:
        raise _split(stmt, parts, stmt, "several tensors in one statement")


def apart(walker: Any, stmt: ast.Assign, error: Blocked) -> None:
    """``self.sess, self.size = sess, 4``: values of several kinds, which have no name together.

    Raises:
        Spelled: each can have a statement.
    """
    parts = _parts(stmt)
    if parts and not walker.nested and type(error) is Blocked and error.node is stmt.value:
        raise _split(stmt, parts, error.node, error.reason)


def _parts(stmt: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """A statement's names and values; none where a value reads a name before it."""
    (target, *others) = stmt.targets
    if others or not isinstance(target, (ast.Tuple, ast.List)):
        return []
    if not isinstance(stmt.value, ast.Tuple) or len(target.elts) != len(stmt.value.elts):
        return []
    if not all(isinstance(t, NAMES) for t in target.elts):
        return []
    parts = list(zip(target.elts, stmt.value.elts, strict=True))
    bound: set[str] = set()
    for one, made in parts:
        if isinstance(made, ast.Starred):
            return []
        if any(ast.unparse(n) in bound for n in ast.walk(made) if isinstance(n, NAMES)):
            return []
        bound.add(ast.unparse(one))
    return parts


def _split(
    stmt: ast.Assign, parts: list[tuple[ast.expr, ast.expr]], node: ast.AST, reason: str
) -> Spelled:
    def lines(source: Source) -> list[str]:
        return [f"{source(one)} = {source(made)}" for one, made in parts]

    return Spelled(node, reason, [(stmt, lambda _: "")], [(stmt, lines)])
