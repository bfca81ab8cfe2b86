"""Branches that a run decides: it asks for what one way makes, or isn't fed what the other needs.

In TF 1 such a run stops on the other way, so that its function has this way's statements alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.listing import slots
from migrate.programs.graph.model import Arm, Blocked, Kind, Step, Symbol, Unfed

Ways = Mapping[Step, int]


class Entered:
    """A way of a branch, while it is followed: what it adds to a statement."""

    def __init__(self, sink: Step, first: Entered | None = None) -> None:
        self.sink, self.first = sink, first
        self.uses, sink.uses = sink.uses, {}
        self.start = len(sink.defs)

    def left(self, walker: Any, stmt: ast.If, before: Iterable[str]) -> None:
        """Both ways are followed; ``before``: names that were bound by then."""
        first, sink = self.first, self.sink
        assert first is not None
        second = sink.uses
        plain = bool(stmt.orelse) and stmt.orelse[0].col_offset > stmt.col_offset  # no `elif`
        made = any(id(n) in walker.layers or id(n) in walker.made for n in walk(stmt))
        if sink.node is stmt and plain and not made and stmt.body[0].lineno > stmt.lineno:
            known = set(before)
            sink.arms = (
                Arm(stmt.body, self.uses, _names(sink.defs[first.start : self.start]), known),
                Arm(stmt.orelse, second, _names(sink.defs[self.start :]), known),
            )
        sink.uses = {**first.uses, **self.uses, **second}


def _names(symbols: Iterable[Symbol]) -> set[str]:
    return {"." * s.attribute + s.name for s in symbols}


def uses(step: Step, ways: Ways) -> Iterable[Symbol]:
    """What a statement reads in a run that decides some branches."""
    way = ways.get(step)
    return step.uses if way is None or step.arms is None else step.arms[way].uses


def unfed(error: Unfed, ways: Ways) -> dict[Step, int]:
    """The way of a branch that a run without a placeholder takes.

    Raises:
        Unfed: it needs it on both, or not in a branch.
    """
    step = error.step
    if step is None or step.arms is None or step in ways or step.kind is not Kind.TENSOR:
        raise error
    needing = [error.symbol in arm.uses for arm in step.arms]
    if needing.count(True) != 1:
        raise error
    return {step: needing.index(False)}


def asked(steps: Iterable[Step], fetched: Iterable[Symbol], ways: Ways) -> dict[Step, int]:
    """The ways of branches that alone make what a run asks for."""
    steps = list(steps)
    wanted = {s for step in steps for s in uses(step, ways) if s.step is not step} | {*fetched}
    found: dict[Step, int] = {}
    for step in steps:
        if step.arms is None or step in ways or step.kind is not Kind.TENSOR:
            continue
        for symbol in wanted:
            if symbol.step is not step:
                continue
            name = "." * symbol.attribute + symbol.name
            making = [name in arm.names | arm.known for arm in step.arms]
            if making.count(True) == 1 and not _before(step, symbol):
                found[step] = making.index(True)
    return found


def bound(steps: Iterable[Step], fetched: Iterable[Symbol], ways: Ways) -> bool:
    """Whether the ways that a run takes bind all that it asks for of their branches."""
    wanted = {s for step in steps for s in uses(step, ways) if s.step is not step} | {*fetched}
    return all(
        s.step not in ways
        or s.step.arms is None
        or "." * s.attribute + s.name in s.step.arms[ways[s.step]].names
        for s in wanted
    )


def _before(step: Step, symbol: Symbol) -> bool:
    """Whether a branch may leave a name as it was."""
    region = step.region
    return region is None or any(
        s.name == symbol.name and s.attribute == symbol.attribute
        for other in region.steps
        if other.order < step.order
        for s in other.defs
    )


def statements(step: Step, plans: Iterable[Any]) -> list[ast.stmt]:
    """What functions have of a statement: all of it, or the ways of a branch that runs take."""
    ways = {plan.ways.get(step) for plan in plans if step in plan.steps}
    if None in ways or step.arms is None:
        return [step.node]
    return [stmt for way in ways if way is not None for stmt in step.arms[way].body]


def check(walker: Any, ways: Ways) -> None:
    """See that a way that is left out trains nothing that the other one doesn't.

    Raises:
        Blocked: it may.
    """
    losses = [symbol for gradient in walker.gradients.values() for symbol in gradient.loss_uses]
    behind = {symbol.step for symbol in slots.reached(walker, losses)} if ways else set()
    for step, way in ways.items():
        assert step.arms is not None
        if step not in behind:  # an accuracy
            continue
        kept, left = (_trained(walker, step.arms[w].uses) for w in (way, 1 - way))
        if not left <= kept:
            raise Blocked(step.node, "a run that decides which variables are trained")


def _trained(walker: Any, symbols: Iterable[Symbol]) -> set[int]:
    """The variables, and the layers, behind some tensors."""
    found = slots.reached(walker, symbols)
    layers = {
        id(n) for s in found for n in walk(s.step.node) if s.step.moves and id(n) in walker.layers
    }
    return layers | {id(s) for s in found if s.value.kind is Kind.VARIABLE}
