"""Several tensors in one statement: ``real, fake = d(x), d(g)`` is two statements.

What moves into functions are statements. Each function takes those that it needs; one statement
that computes two tensors would have a function need what is fed for the other.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.spelled import Source, Spelled

NAMES = (ast.Name, ast.Attribute)


def check(walker: Any, stmt: ast.Assign, value: Value) -> None:
    """See whether a statement of the graph computes several tensors, each for a name.

    Raises:
        Spelled: it does, and they can be computed one after the other.
    """
    (target, *others) = stmt.targets
    if others or walker.nested or walker.frame.region is None or not value.items:
        return
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(stmt.value, ast.Tuple):
        return
    targets, values = target.elts, stmt.value.elts
    if len(targets) != len(values) or not all(isinstance(t, NAMES) for t in targets):
        return
    if any(isinstance(v, ast.Starred) for v in values):
        return
    kinds = [item.kind for _, item in value.items]
    if len(kinds) != len(values):
        return
    pairs = zip(kinds, values, strict=True)
    if sum(kind is Kind.TENSOR and isinstance(v, ast.Call) for kind, v in pairs) < 2:
        return
    bound: set[str] = set()
    for one, made in zip(targets, values, strict=True):
        if any(ast.unparse(n) in bound for n in ast.walk(made) if isinstance(n, NAMES)):
            return
        bound.add(ast.unparse(one))

    def lines(source: Source) -> list[str]:
        both = zip(targets, values, strict=True)
        return [f"{source(one)} = {source(made)}" for one, made in both]

    raise Spelled(stmt, "several tensors in one statement", [(stmt, lambda _: "")], [(stmt, lines)])
