"""A Saver of objects that share their variables: it saves the first one's.

``train = Net()``, and ``test = Net()`` that finds its variables again: the second object has
nothing of its own but an optimizer, whose slots would be missed where it trained.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from migrate.engine.trees import children, holds, outward, walk
from migrate.programs.graph.fetching.given_ops import argument
from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.model import Blocked, Kind, Region, Site, Value

KEY = ("saved sharers",)
REASON = "a Saver of several objects' variables"


def first(walker: Any, call: ast.Call, region: Region, known: dict[str, Value]) -> str | None:
    """The name of the one object that has made its variables; None where it isn't so."""
    made = object_variables.made(walker, region)
    names = [n for n, v in known.items() if len(made) == 1 and v.node is made[0].call]
    if len(known) < 2 or len(names) != 1 or any(v.each is not None for v in known.values()):
        return None
    others = known.keys() - {*names}
    walker.kept.setdefault(KEY, []).append((region, names[0], others, call))
    return names[0]


def check(walker: Any) -> None:
    """See that only the first object trains, now that all runs are known.

    Raises:
        Blocked: another one may.
    """
    for region, name, others, call in walker.kept.get(KEY, ()):
        if any(_trains(s) for r in walker.regions for s in r.sites if s.region is region):
            if not all(_of(walker, s, name, others) for r in walker.regions for s in r.sites):
                raise Blocked(call, REASON)


def _trains(site: Site) -> bool:
    return any(leaf.value.kind is Kind.OP for leaf in site.fetch.leaves())


def _of(walker: Any, site: Site, name: str, others: set[str]) -> bool:
    """Whether a run doesn't train, or is of the first object, where methods are called by name."""
    if not _trains(site) or site.owner == name:
        return True
    method = site.step.function if site.step is not None else None
    if not isinstance(method, ast.FunctionDef):
        return False
    if site.owner != method.args.args[0].arg or method in walker.tree.body:
        return _told(walker, site, method, name, others)
    called = [_asked_of(walker, walker.tree, other) for other in others]
    return all(found is not None and method.name not in found for found in called)


def _asked_of(walker: Any, scope: ast.AST, name: str, depth: int = 3) -> set[str] | None:
    """The attributes that are read of an object under a name; None where it goes on unseen.

    Functions of the module that are given it are looked into, for what they call it.
    """
    found: set[str] = set()
    for outer in walk(scope):
        for n in children(outer):
            if not isinstance(n, ast.Name) or n.id != name or not isinstance(n.ctx, ast.Load):
                continue
            if isinstance(outer, ast.Attribute):
                found.add(outer.attr)
                continue
            if depth == 0 or not isinstance(outer, ast.Call) or n not in outer.args:
                return None
            target, place = walker._module_function(outer.func), outer.args.index(n)
            if target is None or place >= len(target.args.args):
                return None
            if any(isinstance(a, ast.Starred) for a in outer.args):
                return None
            inner = _asked_of(walker, target, target.args.args[place].arg, depth - 1)
            if inner is None:
                return None
            found |= inner
    return found


def _told(
    walker: Any, site: Site, target: ast.FunctionDef, name: str, others: Collection[str]
) -> bool:
    """Whether a function trains the first object alone: ``run_epoch(sess, test_model, x, False)``.

    Calls with another object tell it so, by the argument that its branch asks for.
    """
    params = [a.arg for a in target.args.args]
    if site.owner not in params or target.args.vararg or target.args.kwarg:
        return False
    asked = [
        block.test.id
        for block in outward(target, site.node)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name)
        if block.test.id in params and any(holds(s, site.node) for s in block.body)
    ]
    bound = {n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if site.owner in bound:
        return False
    reads = [n for n in walk(walker.tree) if isinstance(n, ast.Name) and n.id == target.name]
    calls = [n for n in walk(walker.tree) if isinstance(n, ast.Call) and n.func in reads]
    if len(calls) != len(reads):
        return False
    for call in calls:
        given = argument(target, call, site.owner)
        if isinstance(given, ast.Name) and given.id == name:
            continue
        said = [argument(target, call, one) for one in asked if one not in bound]
        off = any(isinstance(v, ast.Constant) and v.value is False for v in said)
        if not (isinstance(given, ast.Name) and given.id in others and off):
            return False
    return True
