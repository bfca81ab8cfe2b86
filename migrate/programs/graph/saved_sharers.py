"""A Saver of objects that share their variables: it saves the first one's.

``train = Net()``, and ``test = Net()`` that finds its variables again: the second object has
nothing of its own but an optimizer, whose slots would be missed where it trained.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.engine.trees import children, walk
from migrate.programs.graph import object_variables
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
    if not isinstance(method, ast.FunctionDef) or site.owner != method.args.args[0].arg:
        return False
    uses = [
        (outer, n)
        for outer in walk(walker.tree)
        for n in children(outer)
        if isinstance(n, ast.Name) and n.id in others and isinstance(n.ctx, ast.Load)
    ]
    called = {outer.attr for outer, _ in uses if isinstance(outer, ast.Attribute)}
    return all(isinstance(outer, ast.Attribute) for outer, _ in uses) and method.name not in called
