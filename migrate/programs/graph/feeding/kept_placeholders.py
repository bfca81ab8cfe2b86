"""What is fed and has a local name, which its object keeps, too: ``self.x = x``.

It is the object's own, by that one name: what `__init__` computes of ``x`` is of ``self.x``.
That holds for placeholders, and for tensors that a run feeds by the attribute.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.making import rebound_names
from migrate.programs.graph.model import Kind, Region, Symbol, Value
from migrate.programs.graph.wording.spelled import Source, Spelled

INNER = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.JoinedStr)


def check(walker: Any, stmt: ast.Assign, value: Value) -> None:
    """See whether an object keeps a placeholder that has a local name, which is read, too.

    Raises:
        Spelled: it does, and all of them can be the attribute.
    """
    symbol, method = value.symbol, walker.frame.node
    if symbol is None or symbol.attribute or walker.nested or symbol in walker.twins:
        return
    region = symbol.step.region
    if region is None or walker.frame.region is not region or not _is_one(symbol.step.node):
        return
    if isinstance(method, ast.FunctionDef):
        _respell(walker, stmt, symbol.name, method, region)


def named(symbol: Symbol) -> Symbol:
    """What ``inputs`` is another name for, after ``inputs = x``: that placeholder."""
    stmt = symbol.step.node
    if symbol.value.kind is not Kind.TENSOR or symbol.attribute or not isinstance(stmt, ast.Assign):
        return symbol
    if not _is_one(stmt) or not isinstance(stmt.value, ast.Name):
        return symbol
    used = list(symbol.step.uses)
    alone = len(used) == 1 and used[0].value.kind is Kind.PLACEHOLDER
    return used[0] if alone and used[0].name == stmt.value.id else symbol


def fed(walker: Any, symbol: Symbol) -> None:
    """See whether a run feeds a tensor by the attribute that keeps it: so is what reads it.

    Raises:
        Spelled: the tensor has a local name, too, and all of them can be the attribute.
    """
    stmt, region = symbol.step.node, symbol.step.region
    if symbol.value.kind is not Kind.TENSOR or not symbol.attribute or region is None:
        return
    if not isinstance(stmt, ast.Assign) or not isinstance(stmt.value, ast.Name):
        return
    for method in region.node.body if isinstance(region.node, ast.ClassDef) else []:
        if isinstance(method, ast.FunctionDef) and stmt in method.body:
            _respell(walker, stmt, stmt.value.id, method, region)


def _respell(
    walker: Any, stmt: ast.Assign, name: str, method: ast.FunctionDef, region: Region
) -> None:
    """Make the attribute that ``stmt`` sets of what has a local ``name``."""
    target = stmt.targets[0]
    if not method.args.args or not _is_one(stmt):
        return
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return
    if target.value.id != method.args.args[0].arg or not isinstance(region.node, ast.ClassDef):
        return
    names = [n for n in all_of(method, ast.Name) if n.id == name]
    gone = {id(n) for n in walk(stmt)}
    loads = [n for n in names if isinstance(n.ctx, ast.Load) and id(n) not in gone]
    stores = [n for n in names if not isinstance(n.ctx, ast.Load)]
    if len(stores) > 1:  # something else gets the name later on
        meant = rebound_names.meant_at(name, stmt, method.body)
        loads = [n for n in loads if n in meant]
        stores = [n for n in stores if n in meant]
    owns = [n for n in all_of(method, ast.Assign) if n.targets == stores]
    inner = any(isinstance(n, INNER) and _says(n, name) for n in walk(method) if n is not method)
    if not loads or not owns or inner or _stores(walker, target.attr) != 1:
        return
    new = ast.unparse(target)

    def attribute(source: Source) -> str:
        return new

    def nothing(source: Source) -> str:
        return ""

    reason = f"`{name}` is kept under another name, `{new}`"
    raise Spelled(target, reason, [*((n, attribute) for n in (*stores, *loads)), (stmt, nothing)])


def _says(inner: ast.AST, name: str) -> bool:
    """Whether a function of a method has a name, as its own or the method's."""
    return any(
        name in (getattr(n, "id", ""), getattr(n, "arg", ""), getattr(n, "name", ""))
        or name in getattr(n, "names", ())
        for n in walk(inner)
    )


def _is_one(stmt: ast.AST | None) -> bool:
    """Whether a statement gives one value one name."""
    return isinstance(stmt, ast.Assign) and len(stmt.targets) == 1


def _stores(walker: Any, name: str) -> int:
    return sum(
        isinstance(n, ast.Attribute) and n.attr == name and not isinstance(n.ctx, ast.Load)
        for n in walk(walker.tree)
    )
