"""Objects of a class that several graphs have: in each, what its first one left in its graph."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.programs.graph import bases
from migrate.programs.graph.model import Blocked, Instance

# What families remember that says nothing of the graph as a whole.
HARMLESS = frozenset({"savers", "arg_scopes", "scopes listed"})


@dataclass(slots=True, eq=False, repr=False)
class Left:
    """What an object's construction added to a graph."""

    graph: int  # which one
    created: list[Any]
    owned: list[Any]
    found: set[int]  # gradients and what applies them
    sessions: int
    init_runs: int
    latest: ast.AST | None
    remembered: bool  # families remember something of it


def standing(walker: Any) -> Left:
    """What there is before an object is made."""
    return Left(
        walker.graph,
        list(walker.created),
        list(walker.owned),
        {*walker.gradients, *walker.applies},
        walker.sessions,
        walker.init_runs,
        walker.latest,
        False,
    )


def left(walker: Any, before: Left, kept: str) -> Left:
    """What came since."""
    return Left(
        walker.graph,
        walker.created[len(before.created) :],
        walker.owned[len(before.owned) :],
        {*walker.gradients, *walker.applies} - before.found,
        walker.sessions - before.sessions,
        walker.init_runs - before.init_runs,
        walker.latest,
        memory(walker) != kept,
    )


def memory(walker: Any) -> str:
    """What families remember, to be compared."""
    known = {k: v for k, v in walker.kept.items() if not isinstance(k, tuple)}
    return repr(sorted((k, repr(v)) for k, v in known.items() if k not in HARMLESS))


def revive(walker: Any, instance: Instance, call: ast.Call) -> None:
    """The first object of a class in another graph: its parts are this graph's.

    Raises:
        Blocked: they are numbered or listed with others of the graph.
    """
    was = instance.left
    if was is None or was.graph == walker.graph:
        return
    if was.remembered:
        name = instance.node.name
        raise Blocked(call, f"summaries or metrics of `{name}`, which several graphs have")
    walker.created.extend(was.created)
    walker.owned.extend(was.owned)
    walker.forgotten -= {id(step) for step in instance.region.steps} | was.found
    walker.past -= set(map(id, bases.nodes(walker, instance.node)))
    walker.sessions += was.sessions
    walker.init_runs += was.init_runs
    walker.latest = was.latest if was.sessions else walker.latest
    walker.stateful = True
    was.graph = walker.graph
