"""Objects that are made for a second session: what the first one trained, nobody reads any more.

``sess.close()``, then ``best = Net(weights)`` and ``sess = tf.Session()``: the runs behind it are
of the new object, whose variables no run has changed. Objects of one class have the same symbols,
so that it is their names that tell them apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from migrate.engine.trees import all_of, children, holds, parents_of, walk
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.model import Kind, Region, Site
from migrate.programs.graph.objects import bases, two_classes

LATER = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
PLAIN = (Kind.HOST, Kind.PLACEHOLDER)


def only(walker: Any, node: ast.AST, region: Region | None, sites: Iterable[Site]) -> bool:
    """Whether runs behind a second session's start are of objects that were made for it.

    ``node``: where it starts; ``region``: whose variables these are; ``sites``: what may run then.
    """
    if region is None or not isinstance(region.node, ast.ClassDef):
        return False
    around = _scope(walker.tree, node)
    if around is None or not _own(walker, region.node):
        return False
    scope, start = around
    body: list[ast.stmt] = scope.body
    made = {id(one.call) for one in object_variables.made(walker, region)}
    places = {
        place: stmt.targets[0].id
        for place, stmt in enumerate(body)
        if isinstance(stmt, ast.Assign) and id(stmt.value) in made
        if len(stmt.targets) == 1 and isinstance(stmt.targets[0], ast.Name)
    }
    if len(places) != len(made):
        return False
    names = set(places.values())
    if any(_bound(stmt, names) for place, stmt in enumerate(body) if place not in places):
        return False
    if isinstance(scope, ast.Module) and len(walker.files.order) > 1:
        return False
    later = [n for f in walk(scope) if _later(f, scope) for n in walk(f)]
    if any(isinstance(n, ast.Name) and n.id in names for n in later):
        return False
    before = [p for p, stmt in enumerate(body[:start]) if _loads(stmt, names)]
    last = max(before, default=-1)
    for place, stmt in enumerate(body[start:], start):
        for load in _loads(stmt, names):
            if max(p for p in (-1, *places) if p < place and places.get(p) == load.id) <= last:
                return False
    reads = [n for stmt in body for n in _loads(stmt, names)]
    if not _lent(walker, scope, reads, set()):
        return False
    return all(_of_object(walker, site) for site in sites)


def _scope(tree: ast.AST, node: ast.AST) -> tuple[Any, int] | None:
    """The function around a node, and the place of its statement in that."""
    scopes = [n for n in walk(tree) if isinstance(n, (ast.Module, ast.FunctionDef))]
    for scope in reversed(scopes):
        for place, stmt in enumerate(scope.body):
            if holds(stmt, node):
                looped = any(isinstance(n, (ast.For, ast.While)) for n in _above(stmt, node))
                return None if looped else (scope, place)
    return None


def _above(stmt: ast.stmt, node: ast.AST) -> list[ast.AST]:
    return [n for n in walk(stmt) if n is not node and holds(n, node)]


def _own(walker: Any, cls: ast.ClassDef) -> bool:
    """Whether a class keeps what it makes to its objects: neither lists nor others have it."""
    if any(id(n) in walker.trainable for n in bases.nodes(walker, cls)):
        return False
    for part in bases.lineage(walker, cls):
        if any(isinstance(n, (ast.List, ast.Dict)) for s in part.body for n in _values(s)):
            return False  # what all objects have
        for method in bases.methods(part):
            given = [*method.args.defaults, *(d for d in method.args.kw_defaults if d is not None)]
            if not method.args.args or any(isinstance(d, (ast.List, ast.Dict)) for d in given):
                return False
            itself = method.args.args[0].arg
            if not all(isinstance(p, ast.Attribute) for p in _parents(method, itself)):
                return False
    return True


def _values(stmt: ast.stmt) -> list[ast.AST]:
    return [] if isinstance(stmt, ast.FunctionDef) else list(walk(stmt))


def _parents(scope: ast.AST, name: str) -> list[ast.AST]:
    """What stands around each use of a name."""
    return [
        outer
        for outer in walk(scope)
        for n in children(outer)
        if isinstance(n, ast.Name) and n.id == name
    ]


def _later(node: ast.AST, scope: ast.AST) -> bool:
    """Whether something in a scope reads names when it is called."""
    return node is not scope and isinstance(node, LATER)


def _bound(stmt: ast.stmt, names: set[str]) -> bool:
    """Whether a statement binds one of the names."""
    return any(
        isinstance(n, ast.Name) and n.id in names and not isinstance(n.ctx, ast.Load)
        for n in walk(stmt)
    ) or any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in walk(stmt))


def _loads(stmt: ast.stmt, names: set[str]) -> list[ast.Name]:
    return [n for n in all_of(stmt, ast.Name) if n.id in names and isinstance(n.ctx, ast.Load)]


def _lent(walker: Any, scope: ast.AST, reads: Sequence[ast.Name], seen: set[Any]) -> bool:
    """Whether an object is only asked for its parts in runs, here and where it is given to."""
    parents = parents_of(scope)
    for read in reads:
        outer = parents[id(read)]
        if isinstance(outer, ast.Attribute):
            if not _asked(walker, outer, parents):
                return False
            continue
        call = parents[id(outer)] if isinstance(outer, ast.keyword) else outer
        target = _target(walker, call)
        if target is None:
            return False
        name = _parameter(target, call, outer, read)
        if name is None:
            return False
        copies = [target, *two_classes.copies(walker, target)]
        if not all(_kept(walker, one, name, seen) for one in copies):
            return False
    return True


def _kept(walker: Any, target: ast.FunctionDef, name: str, seen: set[Any]) -> bool:
    """Whether a function lets go of an object that it is given."""
    if (id(target), name) in seen:
        return True
    seen.add((id(target), name))
    inside = [n for n in all_of(target, ast.Name) if n.id == name]
    later = {id(n) for f in walk(target) if _later(f, target) for n in walk(f)}
    if any(id(n) in later or not isinstance(n.ctx, ast.Load) for n in inside):
        return False
    if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(target)):
        return False
    return _lent(walker, target, inside, seen)


def _asked(walker: Any, node: ast.Attribute, parents: dict[int, ast.AST]) -> bool:
    """Whether a part of an object is run, fed or Python's, or a method that is called."""
    outer = parents[id(node)]
    symbol = walker.attributes.get(id(node))
    if symbol is None:
        return isinstance(outer, ast.Call) and outer.func is node
    if symbol.value.kind in PLAIN:
        return True
    while not isinstance(outer, ast.stmt):
        if isinstance(outer, ast.Call) and isinstance(outer.func, ast.Attribute):
            return outer.func.attr in ("run", "eval")
        outer = parents[id(outer)]
    return False


def _target(walker: Any, call: ast.AST) -> ast.FunctionDef | None:
    """The program's function that is called."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    symbol = walker.meant.get(id(call.func))
    if symbol is None or symbol.value.kind is not Kind.FUNCTION:
        return None
    node = getattr(symbol.value.data, "node", None)
    return node if isinstance(node, ast.FunctionDef) else None


def _parameter(
    target: ast.FunctionDef, call: ast.AST, outer: ast.AST, read: ast.Name
) -> str | None:
    """What a function calls an argument."""
    assert isinstance(call, ast.Call)
    if isinstance(outer, ast.keyword):
        return outer.arg
    place = call.args.index(read)
    if any(isinstance(a, ast.Starred) for a in call.args) or place >= len(target.args.args):
        return None
    return target.args.args[place].arg


def _of_object(walker: Any, site: Site) -> bool:
    """Whether a run asks for attributes of an object, by a name of it."""
    return all(
        isinstance(leaf.node, ast.Attribute)
        and isinstance(leaf.node.value, ast.Name)
        and (symbol := walker.meant.get(id(leaf.node.value))) is not None
        and symbol.value.kind is Kind.OBJECT
        for leaf in site.fetch.leaves()
    )
