"""A placeholder under a local name that its object keeps, too: ``self.x = x``.

It is the object's own, by that one name: what `__init__` computes of ``x`` is of ``self.x``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.model import Value
from migrate.programs.graph.spelled import Source, Spelled

INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr)


def check(walker: Any, stmt: ast.Assign, value: Value) -> None:
    """See whether an object keeps a placeholder that has a local name, which is read, too.

    Raises:
        Spelled: it does, and all of them can be the attribute.
    """
    symbol, method, target = value.symbol, walker.frame.node, stmt.targets[0]
    if symbol is None or symbol.attribute or walker.nested or symbol in walker.twins:
        return
    made, region = symbol.step.node, symbol.step.region
    if region is None or walker.frame.region is not region or not _is_one(made):
        return
    if not isinstance(method, ast.FunctionDef) or not method.args.args or not _is_one(stmt):
        return
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return
    if target.value.id != method.args.args[0].arg or not isinstance(region.node, ast.ClassDef):
        return
    names = [n for n in walk(method) if isinstance(n, ast.Name) and n.id == symbol.name]
    gone = {id(n) for n in walk(stmt)}
    loads = [n for n in names if isinstance(n.ctx, ast.Load) and id(n) not in gone]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    own = made.targets[0] if isinstance(made, ast.Assign) else None
    inner = any(isinstance(n, INNER) for n in walk(method) if n is not method)
    if not loads or stores != [own] or inner or _stores(walker, target.attr) != 1:
        return
    new = ast.unparse(target)

    def attribute(source: Source) -> str:
        return new

    def nothing(source: Source) -> str:
        return ""

    reason = f"`{symbol.name}` is kept under another name, `{new}`"
    raise Spelled(target, reason, [*((n, attribute) for n in (*stores, *loads)), (stmt, nothing)])


def _is_one(stmt: ast.AST | None) -> bool:
    """Whether a statement gives one value one name."""
    return isinstance(stmt, ast.Assign) and len(stmt.targets) == 1


def _stores(walker: Any, name: str) -> int:
    return sum(
        isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
        for n in walk(walker.tree)
    )
