"""Variables behind a tensor that a run feeds: TF 1 trains them, too.

What is fed stands for the tensor's value, and gradients flow through it all the same, to what would
have computed it. A function of TF 2 takes it as a parameter, and a tape ends there.
"""

from __future__ import annotations

from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.data import iterators
from migrate.programs.graph.listing import slots
from migrate.programs.graph.made import Gradient
from migrate.programs.graph.model import Blocked, Kind, Symbol
from migrate.programs.graph.slices import Plan


def check(walker: Any, plan: Plan, gradient: Gradient) -> None:
    """See that no variables behind what a run feeds are trained.

    Raises:
        Blocked: they may be.
    """
    fed = [s for s in plan.params if s.step.moves and iterators.element_of(s) is None]
    fed = [s for s in fed if s.value.kind is not Kind.PLACEHOLDER]
    if not fed or not set(fed) & _between(gradient, plan):
        return
    layers, variables = _behind(walker, fed)
    if not layers and not variables:
        return
    what = f"`{fed[0].name}` is fed, and variables behind it are trained"
    if gradient.variables is None:
        raise Blocked(gradient.call, what)
    named = [
        s
        for n in walk(gradient.variables)
        if (s := walker.meant.get(id(n), walker.attributes.get(id(n)))) is not None
    ]
    for symbol in named:
        made = symbol.step.node
        entries = walker.listed.get(id(getattr(made, "value", None)))
        if entries is None:
            if symbol in variables or symbol.value.data == "container":
                raise Blocked(gradient.call, what)
            continue
        for entry in entries:
            own = entry.value.symbol if entry.value is not None else None
            if id(entry.layer) in layers or own in variables or (entry.layer is None and not own):
                raise Blocked(gradient.call, what)
    if not named:
        raise Blocked(gradient.call, what)


def _between(gradient: Gradient, plan: Plan) -> set[Symbol]:
    """What a loss comes from, fed tensors included."""
    found: set[Symbol] = set()
    stack = list(gradient.loss_uses)
    while stack:
        symbol = stack.pop()
        if symbol not in found:
            found.add(symbol)
            if symbol not in plan.params:
                stack.extend(symbol.step.uses)
    return found


def _behind(walker: Any, fed: list[Symbol]) -> tuple[set[int], set[Symbol]]:
    """The layers and the variables that gradients of some tensors reach."""
    symbols = slots.reached(walker, fed)
    variables = {s for s in symbols if s.value.kind is Kind.VARIABLE}
    layers: set[int] = set()
    for symbol in symbols:
        if symbol.step.moves and not slots.stopped(walker, symbol):
            for node in walk(symbol.step.node):
                layer = walker.layers.get(id(node))
                if layer is not None and not layer.inline:
                    layers.add(id(node if layer.same is None else layer.same))
    return layers, variables
