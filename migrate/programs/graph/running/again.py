"""Objects of a class that several graphs have: in each, what its first one left in its graph."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph import meaning
from migrate.programs.graph.listing import own_collections, scopes_of_objects
from migrate.programs.graph.making import uninitialized
from migrate.programs.graph.model import Blocked, Instance
from migrate.programs.graph.objects import bases
from migrate.programs.graph.summarizing import object_summaries

# What families remember of the module, whatever graph it builds.
LASTING = frozenset(
    (
        *("recurrent", "cell makers", "cell roles", "cell initializers", "specs"),
        *("listed embeddings", "collection names", "cut items", "own collections", "arg_scopes"),
        *("collections given", "graphs", "own lists", "shared lists", "class lines"),
        *("built", "early", "early calls", "reaches", "followed", "scope_depths", "scopes listed"),
        *("whole", "zipped", "given shapes", "input shapes"),
        *("own cells", "cell variables", "cell scopes", "fed shares", "made cells", "cell starts"),
        *("shared parts", "asked again", "bound inside", "grown"),
        *(
            "staying cells",
            "scope defaults",
            "unseen",
            "saved outside",
            "listed outside",
            "given inputs",
        ),
    )
)
CELLS = ("applied cells", "held cells")  # what a graph's cells are, and where
# What says nothing of the graph as a whole, or is as it was where an object is its first part.
HARMLESS = LASTING | {"savers", "initialised", "all", "summaries", "names", *CELLS}


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
    first: bool  # nothing was in the graph before
    every: dict[int, int]  # how much there was where all variables were asked for, by call
    listed: set[int]  # the calls that have given lists of variables by now
    initialised: bool  # all of it has values
    cells: dict[str, list[Any]]  # those of its cells
    summaries: list[Any]
    names: dict[int, str]  # of its ops, by their calls
    around: object  # all that its names may depend upon, by then
    call: ast.Call | None = None  # that made the object


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
        _untouched(walker),
        dict(walker.kept.get("all", {})),
        set(walker.trainable),
        False,
        _cells(walker),
        list(walker.kept.get("summaries", ())),
        dict(walker.kept.get("names", {})),
        _around(walker),
    )


def left(walker: Any, before: Left, kept: str, call: ast.Call) -> Left:
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
        before.first,
        {k: v for k, v in walker.kept.get("all", {}).items() if k not in before.every},
        set(walker.trainable) - before.listed,
        bool(walker.kept.get("initialised") == uninitialized.made(walker)),
        {k: v[len(before.cells[k]) :] for k, v in _cells(walker).items()},
        list(walker.kept.get("summaries", ()))[len(before.summaries) :],
        {k: v for k, v in walker.kept.get("names", {}).items() if k not in before.names},
        before.around,
        call,
    )


def _cells(walker: Any) -> dict[str, list[Any]]:
    """What a graph's cells are, in the order in which they came."""
    applied, held = (walker.kept.get(key, ()) for key in CELLS)
    return dict(zip(CELLS, ([*dict(applied).items()], [*held]), strict=True))


def _around(walker: Any) -> object:
    """What a graph has that names may be numbered by; None where that isn't only objects' parts."""
    if walker.scopes or any(
        step.moves and id(step) not in walker.forgotten
        for region in walker.regions
        for step in region.steps
        if not isinstance(region.node, ast.ClassDef) and region.inputs is None
    ):
        return None
    made = {k: v for k, v in walker.kept.items() if isinstance(k, tuple) and k[0] == "made"}
    counts = {key: sum(one.graph == walker.graph for one in v) for key, v in made.items()}
    names = sorted(walker.kept.get("names", {}).values())
    return list(walker.created), names, {k: n for k, n in counts.items() if n}


def _untouched(walker: Any) -> bool:
    return not any((walker.created, walker.owned, walker.scopes))


def alike(walker: Any, instance: Instance) -> bool:
    """Whether the lists of variables in a class are the same for an object that is made now.

    They are in another graph, where its first object and this one are the first things in theirs,
    and all that asks for variables has been followed while that one was made.
    """
    was: Left | None = instance.left
    asking: set[int] = {id(n) for n in bases.nodes(walker, instance.node)} & walker.trainable.keys()
    if not asking:
        return True
    if was is not None and was.graph == walker.graph:
        asking -= scopes_of_objects.nodes(walker)
        return not asking or own_collections.shared(walker, instance, asking)
    if (
        was is None
        or asking & walker.kept.get("shared lists", {}).keys()
        or not was.first
        or not _untouched(walker)
    ):
        return False
    # What a method that runs asks for is kept where the object is made.
    late = asking - was.listed - walker.kept.get(("lists of methods",), set())
    return not late or _makes_all(walker, instance)


def _makes_all(walker: Any, instance: Instance) -> bool:
    """Whether nothing but a class makes variables: its methods find those of their object."""
    inside = {id(n) for n in walk(instance.node)}
    made = meaning.VARIABLES | meaning.MAKING | meaning.CELLS | meaning.GLOBAL_STEPS
    return not any(
        walker.endpoints.get(id(n)) in made and id(n) not in inside
        for page in walker.program()
        for n in walk(page)
    )


def memory(walker: Any) -> str:
    """What families remember, to be compared."""
    known = {k: v for k, v in walker.kept.items() if not isinstance(k, tuple)}
    return repr(sorted((k, repr(v)) for k, v in known.items() if k not in HARMLESS))


def built(walker: Any, instance: Instance, node: ast.FunctionDef, call: ast.Call) -> None:
    """A method that builds is called for another graph's object: it does what it did then.

    Raises:
        Blocked: it is the same graph, or what it asks of the graph may be something else.
    """
    was, given = walker.kept.get(("left", id(node)), (None, None))
    reason = f"`{node.name}` builds a part of the graph twice"
    if was is None or was.graph == walker.graph or given != _kinds(call):
        raise Blocked(call, reason)
    if any(isinstance(n, ast.Return) and n.value is not None for n in walk(node)):
        raise Blocked(call, reason)
    asking = {id(n) for n in bases.nodes(walker, instance.node)} & walker.trainable.keys()
    if asking and not (was.first and _untouched(walker) and not asking - was.listed):
        raise Blocked(call, "each object trains the variables of all")
    revive(walker, instance, call, was)


def keep_built(walker: Any, node: ast.FunctionDef, call: ast.Call, before: Left, kept: str) -> None:
    """Remember what a method that builds left in its graph."""
    walker.kept["left", id(node)] = left(walker, before, kept, call), _kinds(call)


def _kinds(call: ast.Call) -> list[str]:
    """What a method is given, as it is written."""
    return [ast.dump(a) for a in (*call.args, *call.keywords)]


def revive(walker: Any, instance: Instance, call: ast.Call, was: Left | None = None) -> None:
    """The first object of a class in another graph: its parts are this graph's.

    Raises:
        Blocked: they are numbered or listed with others of the graph.
    """
    was = was or instance.left
    if was is None or was.graph == walker.graph:
        return
    numbered = was.summaries or was.names
    if object_summaries.own(was.summaries, was.names):
        numbered = []
    begun = was.first and _untouched(walker)
    begun = begun or (was.around is not None and was.around == _around(walker))
    if was.remembered or (numbered and not begun):
        name = instance.node.name
        raise Blocked(call, f"summaries or metrics of `{name}`, which several graphs have")
    if was.every and not (was.first and _untouched(walker)):
        raise Blocked(call, "each object finds the variables of all")
    if was.summaries:
        walker.kept.setdefault("summaries", []).extend(was.summaries)
    if was.names:
        walker.kept.setdefault("names", {}).update(was.names)
    applied, held = (was.cells[key] for key in CELLS)
    standing_there = {path for _, path, _ in walker.kept.get("applied cells", {}).values()}
    if standing_there & {path for _, (_, path, _) in applied}:
        raise Blocked(call, "cells in scopes that the graph has, too")
    walker.kept.setdefault("applied cells", {}).update(applied)
    walker.kept.setdefault("held cells", []).extend(held)
    walker.kept.setdefault("all", {}).update(was.every)
    walker.created.extend(was.created)
    walker.owned.extend(was.owned)
    walker.forgotten -= {id(step) for step in instance.region.steps} | was.found
    walker.past -= set(map(id, bases.nodes(walker, instance.node)))
    walker.sessions += was.sessions
    walker.init_runs += was.init_runs
    walker.latest = was.latest if was.sessions else walker.latest
    walker.stateful = True
    if was.initialised:
        walker.kept["initialised"] = uninitialized.made(walker)
    was.graph = walker.graph
