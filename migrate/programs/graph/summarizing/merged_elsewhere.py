"""``summaries = tf.summary.merge_all()`` where an object made them all: the object merges them.

What is fetched beside the object's own ops is a part of its graph then, ``model.summaries``. A
method that is called where the object trains, `self.add_summary()`, leaves it to the one that
made the last.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import all_of, holds, walk
from migrate.programs.graph.model import Instance, Kind
from migrate.programs.graph.objects import bases
from migrate.programs.graph.wording.respelled import Respelled


def check(walker: Any, node: ast.Call, items: list[Any]) -> None:
    """See whether all summaries are those that one object made while it was made.

    Raises:
        Respelled: they are, and it may merge them at the end of its ``__init__``.
    """
    stmt, region = walker.stmt, walker.frame.region
    if region is None or walker.nested or isinstance(region.node, ast.FunctionDef):
        _in_method(walker, node, items)
        _kept(walker, node, items)
    if region is None or isinstance(region.node, ast.ClassDef) or walker.nested or walker.loops:
        return
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or stmt.value is not node:
        return
    target, scope = stmt.targets[0], walker.frame.node
    if not isinstance(target, ast.Name) or node.args or node.keywords:
        return
    objects = {
        name: symbol.value.data
        for name, symbol in walker.frame.env.items()
        if symbol.value.kind is Kind.OBJECT and isinstance(symbol.value.data, Instance)
        if symbol.value.each is None and symbol.step.function is scope
    }
    if len(objects) != 1:
        return
    ((name, instance),) = objects.items()
    if instance.left is None or list(instance.left.summaries) != items:
        return
    member = bases.find(walker, instance.node, "__init__")
    own = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    places = [n for n in all_of(scope, ast.Name) if n.id == target.id]
    again = [n for n in all_of(scope, ast.Name) if n.id == name]
    stores = [n for n in (*places, *again) if not isinstance(n.ctx, ast.Load)]
    if member is None or member not in instance.node.body or target.id in own or len(stores) != 2:
        return
    if _leaves(member) or not member.args.args:
        return
    if any(isinstance(n, ast.Global) and target.id in n.names for n in walk(scope)):
        return
    what = "the summaries of an object are merged outside of it"
    raise Respelled(node, what, "merged", member=member, name=name, places=places)


def _kept(walker: Any, node: ast.Call, items: list[Any]) -> None:
    """See whether a method merges what an object made that its own keeps, `self.net`.

    Raises:
        Respelled: it does, and that object may merge them.
    """
    stmt, scope = walker.stmt, walker.frame.node
    if walker.nested or walker.loops or node.args or node.keywords:
        return
    if not isinstance(stmt, ast.Assign) or len(stmt.targets) != 1 or stmt.value is not node:
        return
    target = stmt.targets[0]
    if not isinstance(target, ast.Name) or not isinstance(scope, ast.FunctionDef):
        return
    method = _method(walker, node)
    itself = walker.frame.env.get(scope.args.args[0].arg) if scope.args.args else None
    holder = itself.value.data if itself is not None else None
    if method is None or method[1] is not scope or not isinstance(holder, Instance):
        return
    kept = {
        name: symbol.value.data
        for name, symbol in holder.attrs.items()
        if symbol.value.kind is Kind.OBJECT and isinstance(symbol.value.data, Instance)
        if symbol.value.each is None and symbol.value.data.left is not None
    }
    if len(kept) != 1:
        return
    ((name, instance),) = kept.items()
    member = bases.find(walker, instance.node, "__init__")
    attributes = all_of(walker.tree, ast.Attribute)
    stored = [n for n in attributes if n.attr == name and not _loaded(n)]
    here = [n for n in walk(method[0]) if n in stored]
    if any(ast.unparse(n.value) != "self" for n in stored):
        return  # it is set from outside
    places = [n for n in all_of(scope, ast.Name) if n.id == target.id]
    own = scope.args.args[0].arg
    changed = [n for n in all_of(scope, ast.Name) if n.id == own and not _read(n)]
    if list(instance.left.summaries) != items or member not in instance.node.body or changed:
        return
    if len(here) != 1 or sum(not _read(n) for n in places) != 1 or not member.args.args:
        return
    if target.id in {n.attr for n in attributes} or _leaves(member):
        return
    what = "the summaries of an object are merged outside of it"
    raise Respelled(node, what, "merged", member=member, name=f"{own}.{name}", places=places)


def _leaves(member: ast.FunctionDef) -> list[ast.Return]:
    """What ends a method before its last statement."""
    inner = [n for n in walk(member) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    theirs = {id(n) for f in inner if f is not member for n in walk(f)}
    return [n for n in all_of(member, ast.Return) if id(n) not in theirs]


def _read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _in_method(walker: Any, node: ast.Call, items: list[Any]) -> None:
    """See whether a method merges for its object what other methods of it made.

    Raises:
        Respelled: it does, and the method with the last summary may merge them.
    """
    stmt, last = walker.stmt, getattr(items[-1], "call", None) if items else None
    if last is None or node.args or node.keywords or not isinstance(stmt, ast.Assign):
        return
    if stmt.value is not node or len(stmt.targets) > 1:
        return
    target = stmt.targets[0]
    if isinstance(target, ast.Name):
        _at_every_call(walker, node, target, items)
    if not isinstance(target, ast.Attribute):
        return
    mine, home = _method(walker, node), _method(walker, last)
    if mine is None or home is None or ast.unparse(target.value) != mine[1].args.args[0].arg:
        return
    chain = [c for c in all_of(walker.tree, ast.ClassDef) if c is home[0]]
    related = mine[0] is home[0] or any(
        bases.find(walker, c, mine[1].name) is mine[1] for c in chain
    )
    stored = [
        n for n in all_of(walker.tree, ast.Attribute) if n.attr == target.attr and not _loaded(n)
    ]
    place = next((s for s in _straight(home[1].body) if last in walk(s)), None)
    if not any(s is not stmt and not isinstance(s, ast.Expr) for s in mine[1].body):
        return  # it would be left without a statement
    plain = isinstance(place, ast.Expr) or (isinstance(place, ast.Assign) and place.value is last)
    if not related or len(stored) != 1 or not plain:
        return
    what = "the summaries of an object are merged where it trains"
    found = {"member": home[1], "after": place, "attribute": target.attr}
    raise Respelled(node, what, "merged", name="", places=[], **found)


def _at_every_call(walker: Any, node: ast.Call, target: ast.Name, items: list[Any]) -> None:
    """See whether a method merges at every call what its object made, under a local name.

    Raises:
        Respelled: it does, and the method with the last summary may merge them.
    """
    mine, home = _method(walker, node), _method(walker, items[-1].call)
    if mine is None or home is None or mine[0] is not home[0] or mine[1] is home[1]:
        return
    scope = mine[1]
    itself = scope.args.args[0].arg
    place = next((s for s in _straight(home[1].body) if items[-1].call in walk(s)), None)
    made = {id(getattr(item, "call", None)) for item in items}
    makers = {id(n) for n in all_of(walker.tree, ast.Call) if _summarizes(walker, n)}
    names = [n for n in all_of(scope, ast.Name) if n.id in (target.id, itself) and not _read(n)]
    said = {n.attr for n in all_of(walker.tree, ast.Attribute)}
    said |= {getattr(n, "name", "") for n in walk(walker.tree)}
    if makers - made or len(names) != 1 or target.id in said or len(scope.body) < 2:
        return
    if not isinstance(place, ast.Expr) and getattr(place, "value", None) is not items[-1].call:
        return
    places = [n for n in all_of(scope, ast.Name) if n.id == target.id]
    what = "the summaries of an object are merged at every call"
    found = {"member": home[1], "after": place, "attribute": target.id}
    raise Respelled(node, what, "merged", name=itself, places=places, **found)


def _summarizes(walker: Any, node: ast.Call) -> bool:
    """Whether a call makes a summary."""
    _, _, last = walker.endpoints.get(id(node.func), "").rpartition("tensorflow.summary.")
    return last in ("scalar", "histogram", "image", "audio", "text", "tensor_summary")


def _loaded(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _straight(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that are executed once, those in with statements included."""
    found: list[ast.stmt] = []
    for stmt in body:
        found += _straight(stmt.body) if isinstance(stmt, ast.With) else [stmt]
    return found


def _method(walker: Any, node: ast.AST) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    """The class and the method in which something stands."""
    for cls in walk(walker.tree):
        for member in cls.body if isinstance(cls, ast.ClassDef) else ():
            if isinstance(member, ast.FunctionDef) and holds(member, node):
                assert isinstance(cls, ast.ClassDef)
                return (cls, member) if member.args.args else None
    return None


def idle(walker: Any, node: ast.Call) -> bool:
    """Whether nothing reads what a call gives: its statement does nothing."""
    stmt = walker.stmt
    if isinstance(stmt, ast.Expr):
        return stmt.value is node
    if not isinstance(stmt, ast.Assign) or stmt.value is not node or len(stmt.targets) > 1:
        return False
    target = stmt.targets[0]
    return isinstance(target, ast.Name) and not any(
        target.id in (getattr(n, "attr", ""), getattr(n, "name", ""))
        or (isinstance(n, ast.Name) and n.id == target.id and isinstance(n.ctx, ast.Load))
        for n in walk(walker.tree)
    )
