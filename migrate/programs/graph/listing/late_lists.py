"""Lists of layers' variables stand behind the calls of the layers in each run.

``[v.assign(u) for u, v in zip(main_vars, target_vars)]`` may be the first that is run. A layer has
its variables once it was called; a function that was traced before that would go through nothing.
Where a run doesn't call the layers, they are built before.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from migrate.engine.trees import holds, outward, walk
from migrate.programs.graph.listing.collections import LATE, Owned, built
from migrate.programs.graph.model import Blocked, Kind, Step


def check(walker: Any) -> None:
    """Have the layers built whose variables a run reads without calling them.

    Raises:
        Blocked: the shape of their input isn't seen, or they are a cell's.
    """
    if not walker.listed:
        return
    for site in [site for region in walker.regions for site in region.sites]:
        steps = {symbol.step for symbol in site.reached()}
        applied = _applied(walker, steps)
        lists = {id(entry.layer) for step in steps for entry in _own(walker, step)}
        home = site.step.region if site.step is not None else None
        before = _called_before(walker, home, site.step) if home is not None else set()
        for step in steps:
            if any(id(n) in walker.gradients or id(n) in walker.applies for n in _nodes(step)):
                continue  # what it differentiates has called them
            for entry in _read(walker, step):
                if id(entry.layer) not in applied & lists | before:
                    built(walker, entry, step.node)
            if _cells(walker, step) - applied - before:
                raise Blocked(step.node, LATE)
        for leaf in site.fetch.leaves():
            for entry in _late(walker, walk(leaf.node)):
                if entry.layer is not None and id(entry.layer) not in applied | before:
                    built(walker, entry, leaf.node)
    for region in walker.regions:
        for step in region.steps:
            if step.kind is Kind.HOST and not step.drop:
                called = _called_before(walker, region, step)
                for entry in _own(walker, step):
                    if id(entry.layer) not in called:
                        built(walker, entry, step.node)


def there(walker: Any, entries: Iterable[Owned]) -> bool:
    """Whether runs above the statement at hand have called the layers of a list."""
    frame = walker.frame
    while not isinstance(frame.node, (ast.FunctionDef, ast.Module)) and frame.parent is not None:
        frame = frame.parent  # a comprehension's
    region = frame.region
    if region is None:
        return False
    last = max((s.step.order for s in region.sites if s.step is not None), default=0)
    here = Step(last + 1, walker.stmt, Kind.HOST, function=frame.node)
    called = _called_before(walker, region, here)
    cells = any(e.cell is not None or e.listed is not None for e in entries)
    return not cells and all(e.layer is None or id(e.layer) in called for e in entries)


def _called_before(walker: Any, region: Any, step: Step) -> set[int]:
    """The layers that runs above a statement of Python's have called: they have their variables."""
    sites = [s for s in region.sites if s.step is not None and s.step.order < step.order]
    steps = {
        symbol.step
        for site in sites
        if site.step.function is step.function and _certain(walker, site.node, step)
        for symbol in site.reached()
    }
    return _applied(walker, steps)


def _certain(walker: Any, run: ast.AST, step: Step) -> bool:
    """Whether a run is in no branch that a later statement isn't in; loops go round."""
    ways = (ast.If, ast.IfExp, ast.BoolOp, ast.ExceptHandler)
    around = (n for n in outward(walker.tree, run) if isinstance(n, ways))
    return all(holds(n, step.node) for n in around)


def apart(walker: Any, steps: Iterable[Step], every: Collection[Step]) -> set[Step]:
    """What can't go into a function of some steps: lists whose layers other steps call.

    What reads such a list stays behind it.
    """
    outside = _applied(walker, every) - _applied(walker, steps)
    found: set[Step] = set()
    for step in steps:
        cells = any(e.layer is None for e in _own(walker, step))
        late = cells or any(id(e.layer) in outside for e in _own(walker, step))
        if late or any(s.step in found for s in step.uses):
            found.add(step)
    return found


def behind(walker: Any, steps: Collection[Step]) -> dict[Step, set[Step]]:
    """Behind which of a run's steps the lists among them have to stand."""
    found: dict[Step, set[Step]] = {}
    for step in steps:
        wanted = {id(e.layer) for e in _own(walker, step)}
        if wanted:
            found[step] = {
                s for s in steps if s is not step and wanted & _applied(walker, (s,))
            } - _readers(step, steps)
    return found


def _readers(step: Step, steps: Iterable[Step]) -> set[Step]:
    """The steps that something that a step defines reaches."""
    found = {step}
    for one in steps:
        if any(s.step in found for s in one.uses) or found.intersection(one.after):
            found.add(one)
    return found


def _applied(walker: Any, steps: Iterable[Step]) -> set[int]:
    """The layers and cells that some steps call."""
    called = {id(n) for step in steps for n in _nodes(step)}
    kinds = (walker.kept.get(key, {}) for key in ("applied cells", "applied layers"))
    cells = [datas for kind in kinds for node, (datas, *_) in kind.items() if node in called]
    return {id(data) for datas in cells for data in datas} | {
        id(layer.same or layer.call) for layer in walker.layers.values() if id(layer.call) in called
    }


def _cells(walker: Any, step: Step) -> set[int]:
    """The cells in the lists that a statement makes."""
    places = {id(p): id(data) for p, data, _ in walker.kept.get("held cells", ())}
    own = [e.listed.place if e.listed else e.cell for e in _own(walker, step)]
    return {places[id(place)] for place in own if id(place) in places}


def _own(walker: Any, step: Step) -> Iterator[Owned]:
    """The layers and cells in the lists that a statement makes."""
    yield from _late(walker, _nodes(step))


def _late(walker: Any, nodes: Iterable[ast.AST]) -> Iterator[Owned]:
    for node in nodes if walker.listed else ():
        for entry in walker.listed.get(id(node), ()):
            cells = entry.cell is not None or entry.listed is not None
            if cells or (entry.layer is not None and not entry.made):
                yield entry


def _read(walker: Any, step: Step) -> Iterator[Owned]:
    """The layers in the lists that a statement makes, or has by their names."""
    for one in (step, *(symbol.step for symbol in step.uses)):
        for node in _nodes(one) if walker.listed else ():
            for entry in walker.listed.get(id(node), ()):
                if entry.layer is not None and not entry.made:
                    yield entry


def _nodes(step: Step) -> Iterator[ast.AST]:
    if not isinstance(step.node, (ast.FunctionDef, ast.ClassDef)):
        yield from walk(step.node)
