"""Tags of summaries that several objects of a class make: each has its object's scope in it.

``with tf.variable_scope(self.name): tf.summary.scalar("loss", …)`` is ``q/loss`` for one object and
``target/loss`` for the other. What stands in no scope of an object's own is numbered by TF 1.
"""

from __future__ import annotations

import ast
from typing import Any

from migrate.programs.graph.listing import object_variables
from migrate.programs.graph.model import Blocked, Region

NUMBERED = "summaries of several objects, whose tags TF 1 numbers"


def scope_of(walker: Any) -> str | None:
    """The scopes that are open, in braces where they are computed; None where one isn't seen."""
    names = [scope.name for scope in walker.scopes]
    return None if None in names else "/".join(name for name in names if name)


def several(walker: Any, region: Region) -> list[Any]:
    """The objects of a class, where there are more than one, in whichever graph."""
    if not isinstance(region.node, ast.ClassDef):
        return []
    known: list[Any] = walker.kept.get(("made", id(region)), [])
    return known if len(known) > 1 else []


def shared(walker: Any, region: Region) -> bool:
    """Whether a graph has several objects of a class."""
    if walker.kept.get(("own graph", id(region))):
        return False  # each makes one, and is alone in it
    alone = "alone"  # made instead of the others, on another way of a branch
    graphs = [o.graph for o in several(walker, region) if (alone, id(o.call)) not in walker.kept]
    return len(set(graphs)) < len(graphs)


def own(summaries: list[Any], names: dict[int, str]) -> bool:
    """Whether all tags stand in scopes of their objects', in which nothing else is numbered."""
    calls = {id(getattr(s, "call", None)) for s in summaries}
    return set(names) <= calls and all("{" in (getattr(s, "scope", "") or "") for s in summaries)


def tag(
    walker: Any, region: Region, scope: str | None, said: str | None, node: ast.AST
) -> str | None:
    """How a tag is written that is each object's; None where it is the same for all.

    ``said`` is the tag that the first object has.

    Raises:
        Blocked: it isn't told.
    """
    objects = several(walker, region)
    told = scope is not None and "{" not in scope
    if not objects or (told and not shared(walker, region)):
        return None
    error = Blocked(node, NUMBERED)
    if said is None or scope is None or "{" not in scope or '"' in scope:
        raise error
    heads = [object_variables.path_of(walker, region, one, scope) for one in objects]
    known = [head for head in heads if head]
    if len(known) != len(heads) or not said.startswith(f"{known[0]}/"):
        raise error
    if len(set(known)) == 1 and not shared(walker, region):
        return None
    small = [head.lower() for head in known]
    graphs = [one.graph for one in objects]
    for place, head in enumerate(small):
        others = [h for p, h in enumerate(small) if p != place and graphs[p] == graphs[place]]
        if any(other == head or other.startswith(f"{head}/") for other in others):
            raise error
        if head != small[0] and any(
            name == head or name.startswith(f"{head}/") for name in walker.naming.taken
        ):
            raise error  # something else has such names: they are numbered
    rest = said[len(known[0]) :]
    return f'f"{scope}{rest}"'
