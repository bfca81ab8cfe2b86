"""Layers that aren't trained, beside others that are: the trained variables as a list.

A tape watches what Keras makes for a layer with ``trainable=False``, too.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.engine.trees import walk
from migrate.programs.graph.listing import collections, slots
from migrate.programs.graph.made import Gradient, Layer
from migrate.programs.graph.making import constraints
from migrate.programs.graph.model import Blocked, Kind
from migrate.programs.graph.slices import Plan, closure
from migrate.programs.graph.walk import Walker

if TYPE_CHECKING:
    from migrate.rewriters.sessions.sources import Sources

OTHERS = "layers of another graph, some of which aren't trained"


def used(writer: Sources, plan: Plan, gradient: Gradient) -> list[Layer]:
    """The layers that a loss comes from, in order."""
    steps = sorted(closure(gradient.loss_uses, plan.steps), key=lambda s: s.order)
    found = [
        writer.walker.layers[id(n)]
        for step in steps
        for n in walk(step.node)
        if id(n) in writer.walker.layers
    ]
    return [layer for layer in found if not layer.inline and layer.same is None]


def is_frozen(walker: Walker, layer: Layer) -> bool:
    """Whether a layer, or one of a function's, may not be trained, or has a constraint."""
    if layer.factory is None:  # a tape sees no constraints of Keras's variables
        return constraints.has(layer) or not _trained(layer.given.get("trainable"))
    inner = {id(n) for n in walk(layer.factory)}
    args = layer.factory.args
    given = dict(zip([a.arg for a in reversed(args.args)], reversed(args.defaults), strict=False))
    given |= layer.given
    for key, other in walker.layers.items():
        if key not in inner:
            continue
        said = other.given.get("trainable") if other.factory is None else None
        if isinstance(said, ast.Name) and _trained(given.get(said.id, said)):
            continue
        if is_frozen(walker, other):
            return True
    return False


def _is_left(walker: Walker, layer: Layer) -> bool:
    """Whether nothing of a layer, or of a function's layers, is trained."""
    said = layer.given.get("trainable")
    if layer.factory is None:
        return isinstance(said, ast.Constant) and said.value is False
    for entry in walker.entered[id(layer.factory)].owned:
        inner = walker.layers.get(id(entry.layer))
        if inner is None or inner.factory is not None or entry.mixed or entry.made:
            return False
        told = inner.given.get("trainable")
        told = layer.given.get(told.id) if isinstance(told, ast.Name) else told
        if not isinstance(told, ast.Constant) or told.value is not False:
            return False
    return True


def _trained(said: ast.expr | None) -> bool:
    return said is None or (isinstance(said, ast.Constant) and said.value is True)


def listed(writer: Sources, used: list[Layer], plan: Plan, gradient: Gradient) -> str:
    """The variables that are trained.

    Raises:
        Blocked: some have no name here.
    """
    lent = {id(n) for step in plan.steps if step.region is not plan.region for n in walk(step.node)}
    theirs = [layer for layer in used if id(layer.call) in lent]
    if any(call.plan.borrowed for call in plan.borrowed) or not all(
        _is_left(writer.walker, layer) for layer in theirs
    ):
        raise Blocked(gradient.call, OTHERS)
    names: list[str] = []
    for layer in used:
        if layer in theirs:
            continue
        said = layer.given.get("trainable") if layer.factory is None else None
        if isinstance(said, ast.Constant) and said.value is False:
            continue
        if layer.factory is None:
            names += writer.objects(layer.call, "trainable_variables")
            continue
        writer.certain(layer.call)
        region = writer.walker.entered[id(layer.factory)]
        made = writer.layers[id(layer.call)][0]
        mixed = [o for o in writer.walker.owned if o.mixed and o.layer is layer.call]
        if mixed:
            collections.reached(writer.walker, layer.factory)
            listed = f"{made}.variables()" if mixed[0].called else f"{made}.variables"
            names.append(f"*({collections.trained(listed)})")
            continue
        if (
            not all(entry.layer is not None for entry in region.owned)
            or id(layer.call) in writer.lists
        ):
            raise Blocked(layer.call, "variables of a function, some of which aren't trained")
        collections.reached(writer.walker, layer.factory)
        names.append(f"*(v for layer in {made}.layers for v in layer.trainable_variables)")
    reached = slots.reached(writer.walker, gradient.loss_uses)
    for symbol in sorted(reached, key=lambda s: (s.step.order, s.name)):
        value = symbol.value
        if value.kind is not Kind.VARIABLE or writer.walker.trains(value.node) is False:
            continue
        if plan.borrowed and symbol.step.region is not plan.region:
            raise Blocked(gradient.call, OTHERS)
        if symbol.step.moves or value.items is not None or value.node is None:
            raise Blocked(gradient.call, "trained variables, some of which have no name")
        names.append(writer.ref(symbol))
    if not names or "recurrent" in writer.walker.kept:
        raise Blocked(gradient.call, "trained variables, some of which have no name")
    return f"[{', '.join(dict.fromkeys(names))}]"
