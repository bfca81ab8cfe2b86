"""Another object's tensor that an attribute keeps, too: ``self.value = self.critic.out``.

Functions of TF 2 have no tensors to keep. What reads the attribute reads what it stands for, and
the statement goes, or keeps the other object: ``self.a = actor.a`` is ``self.actor = actor``.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Kind, Value
from migrate.programs.graph.objects import bases, own_attributes
from migrate.programs.graph.wording.spelled import Spelled, Written, word

REASON = "parts of a graph that another function builds, kept in something"


def check(walker: Any, target: ast.expr, value: Value) -> None:
    """See whether the attribute may be what it is set to, wherever it is read.

    Raises:
        Spelled: it may.
    """
    stmt, method = walker.stmt, walker.frame.node
    cls = next((c for c in all_of(walker.tree, ast.ClassDef) if method in c.body), None)
    if cls is None or not isinstance(stmt, ast.Assign) or stmt.targets != [target]:
        return
    said = stmt.value
    if not isinstance(target, ast.Attribute) or not isinstance(said, ast.Attribute):
        return
    if value.symbol is None or not value.symbol.attribute or not method.args.args:
        return
    itself = method.args.args[0].arg
    if ast.unparse(target.value) != itself or stmt not in _blocks(method):
        return
    if len(own_attributes.stores(walker, cls, target.attr)) != 1:
        return
    owner = said.value
    lasting = isinstance(owner, ast.Attribute) and ast.unparse(owner.value) == itself
    if lasting:
        assert isinstance(owner, ast.Attribute)
        if len(own_attributes.stores(walker, cls, owner.attr)) != 1:
            return
    elif not isinstance(owner, ast.Name) or any(
        n.id == owner.id and not isinstance(n.ctx, ast.Load) for n in all_of(method, ast.Name)
    ):
        return
    written = _reads(walker, cls, method, stmt, "" if lasting else itself)
    if written is not None:
        raise Spelled(stmt, REASON, written)


def _blocks(method: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a method that are always executed, those of with statements included."""
    found: list[ast.stmt] = []
    todo = list(method.body)
    while todo:
        stmt = todo.pop()
        found.append(stmt)
        todo += stmt.body if isinstance(stmt, ast.With) else []
    return found


def _reads(
    walker: Any, cls: ast.ClassDef, method: ast.FunctionDef, stmt: ast.Assign, itself: str
) -> list[Written] | None:
    """The reads of an attribute with what is read instead; None where one is others', or earlier.

    ``itself``: what the method calls its object, where it has to keep whose tensor it is.
    """
    (target,) = stmt.targets
    assert isinstance(target, ast.Attribute)
    assert isinstance(stmt.value, ast.Attribute)
    instead, owner = ast.unparse(stmt.value), ast.unparse(stmt.value.value)
    others = [c for c in all_of(walker.tree, ast.ClassDef) if c is not cls]
    found: list[ast.AST] = []
    elsewhere = False
    called = {id(call.func) for call in all_of(walker.tree, ast.Call)}  # tensors aren't
    for n in all_of(walker.tree, ast.Attribute):
        if n.attr != target.attr or n is target or n is stmt.value or id(n) in called:
            continue
        base = ast.unparse(n.value)
        home = next((m for m in bases.methods(cls) if holds(m, n)), None)
        if home is not None and home.args.args and base == home.args.args[0].arg:
            if (home is method and n.lineno <= stmt.lineno) or base != ast.unparse(target.value):
                return None
            elsewhere = elsewhere or home is not method
            found.append(n)
        elif not (ast.unparse(n) == instead or _own(others, n, base) or _other(walker, n)):
            return None
    if not elsewhere or not itself:
        return [*((n, word(instead)) for n in found), (stmt, word(""))]
    if any(n.attr == owner for n in all_of(cls, ast.Attribute)):
        return None
    kept = f"{itself}.{owner}"
    instead = f"{kept}.{stmt.value.attr}"
    return [*((n, word(instead)) for n in found), (stmt, word(f"{kept} = {owner}"))]


def _own(others: list[ast.ClassDef], node: ast.Attribute, base: str) -> bool:
    """Whether a class reads its own attribute of that name."""
    for cls in others:
        for member in bases.methods(cls):
            if holds(member, node) and member.args.args and member.args.args[0].arg == base:
                return all(ast.unparse(b) == "object" for b in cls.bases) or any(
                    n.attr == node.attr and not isinstance(n.ctx, ast.Load)
                    for n in all_of(cls, ast.Attribute)
                )
    return False


def _other(walker: Any, node: ast.Attribute) -> bool:
    """Whether an attribute is a module's, or has been read of another class's object."""
    if id(node) in walker.endpoints:
        return True
    names = {
        (a.asname or a.name).partition(".")[0]
        for stmt in walk(walker.files.at(node).tree)
        if isinstance(stmt, (ast.Import, ast.ImportFrom))
        for a in stmt.names
    }
    if isinstance(node.value, ast.Name) and node.value.id in names:
        return True
    symbol = walker.attributes.get(id(node))
    return symbol is not None and symbol.value.kind is not Kind.OBJECT
