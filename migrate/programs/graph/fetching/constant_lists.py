"""Lists of constants that get more of them: ``images = [image]``, ``images.append(blurred)``.

What every run finds the same is computed where it stands, and so is such a list.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Kind, Region, Value

LIST = "container"
GROWN = ("grown lists",)  # among what a walk keeps: scopes, and the names that grow in them
FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def sliced(owner: Value, node: ast.Subscript) -> bool:
    """Whether some of a list of constants are taken."""
    listed = bool(owner.items) or owner.data == LIST
    return owner.kind is Kind.CONST and listed and isinstance(node.slice, ast.Slice)


def grows(walker: Any, call: ast.Call) -> bool:
    """Whether a list of the scope at hand gets a constant, or a value of Python's."""
    func = call.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    symbol = walker.frame.env.get(func.value.id)
    if symbol is None:
        return False
    made = symbol.value.node if walker.frame.region is None else symbol.step.node
    begun = isinstance(made, ast.Assign) and isinstance(made.value, ast.List)
    if not (begun or symbol.value.data == LIST):
        return False
    values = walker.arguments(call)
    if not all(v.kind in (Kind.CONST, Kind.HOST) for v in values):
        return False
    if walker.frame.region is not None:
        walker.kept.setdefault(GROWN, []).append((walker.frame.node, func.value))
    walker.define(func.value.id, Value(Kind.CONST, LIST))
    return True


def check(walker: Any, regions: Sequence[Region]) -> None:
    """See that no function reads a list that grows: it would find what is in it when it is traced.

    Raises:
        Blocked: one does, or may, by another name.
    """
    for scope, grown in walker.kept.get(GROWN, ()):
        inner = (n for n in walk(scope) if isinstance(n, FUNCTIONS) and n is not scope)
        moved = (s.node for region in regions for s in region.steps if s.moves)
        if any(n.id == grown.id for part in walk(scope) for n in _names_given(part)):
            raise Blocked(grown, "a list of constants grows that has another name, too")
        for part in (*inner, *moved):
            if any(n.id == grown.id for n in all_of(part, ast.Name)):
                raise Blocked(grown, "a list of constants grows that a function reads")


def _names_given(node: ast.AST) -> list[ast.Name]:
    """What a statement gives a name to, itself or as an item of something."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        return []
    values = [node.value, *getattr(node.value, "elts", []), *getattr(node.value, "values", [])]
    return [v for v in values if isinstance(v, ast.Name)]
