"""Functions that make a graph of their own at every call, and optimizers that functions are given.

``for rate in rates: train(rate)``, where `train` builds a graph and runs it: what comes of it makes
its variables and its functions anew, as TF 1 made a graph.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Blocked, Instance, Kind, Region, Step, Symbol, Value
from migrate.programs.graph.modules import Module
from migrate.programs.graph.objects import bases

# What Python has, whichever graph it is used in.
PLAIN = frozenset(
    {Kind.HOST, Kind.NONE, Kind.CONST, Kind.FUNCTION, Kind.CLASS, Kind.ENDPOINT, Kind.SETTING}
)
SAME = frozenset({Kind.FUNCTION, Kind.CLASS, Kind.ENDPOINT})


def standing(walker: Any) -> tuple[int, ...]:
    """What there is before a function is entered that later graphs may be confused by."""
    summaries = walker.kept.get("summaries", ())
    return len(walker.savers), len(walker.listed), len(summaries), len(walker.averages)


def alone(
    walker: Any,
    target: ast.FunctionDef,
    regions: list[Region],
    before: tuple[int, ...],
    itself: Instance | None = None,
) -> bool:
    """Whether all of a graph that a function builds and runs is its own, at every call.

    ``regions``: its own and those that were entered in it; ``itself``: the object of a method.
    """
    objects: list[Instance] = walker.kept.get(("objects", id(regions[0])), [])
    if any(_elsewhere(walker, target, regions[0], instance) for instance in objects):
        return False
    inside: set[Region | None] = {*regions, *(instance.region for instance in objects)}
    for region in regions:
        uses = [s for step in region.steps for s in step.uses]
        uses += [s for site in region.sites for leaf in site.fetch.leaves() for s in leaf.uses]
        if not all(_own(symbol, inside, itself) or _stateless(walker, symbol) for symbol in uses):
            return False
    if before == standing(walker):
        return True
    made = {T + "Graph", T + "reset_default_graph"}
    nodes = [target, *(item.context_expr for block in walker.outer for item in _items(block))]
    nodes += [i for o in objects if (i := bases.find(walker, o.node, "__init__")) is not None]
    return any(walker.endpoints.get(id(n)) in made for node in nodes for n in walk(node))


def _elsewhere(walker: Any, target: ast.FunctionDef, region: Region, instance: Instance) -> bool:
    """Whether a function that makes an object of a class knows another one of that class, too."""
    given: dict[str, Value] = walker.kept.get(("first given", id(region)), {})
    if any(value.data is instance for value in given.values()):
        return True
    names = all_of(target, ast.Name)
    own = {n.id for n in names if not isinstance(n.ctx, ast.Load)} | set(given)
    known = walker.module_frame(target).env
    outer = {g for n in all_of(target, ast.Global) for g in n.names}
    return any(
        known[n.id].value.data is instance
        for n in names
        if n.id in known and (n.id not in own or n.id in outer)
    )


def _own(symbol: Symbol, inside: set[Region | None], itself: Instance | None) -> bool:
    step = symbol.step
    if itself is not None and symbol.value.data is itself:
        return True  # what it has of a graph is told apart
    if symbol.value.kind in PLAIN or step.region in inside or isinstance(symbol.value.data, Module):
        return True
    return step.order < 0 and symbol.value.kind in (Kind.OPTIMIZER, Kind.SESSION)


def alike(walker: Any, region: Region) -> bool:
    """Whether the runs of a function find the same in every session."""
    return all(_stateless(walker, symbol) for site in region.sites for symbol in site.reached())


def _stateless(walker: Any, symbol: Symbol) -> bool:
    """Whether a tensor of another part of the program is the same in every session.

    It is made of what is fed: of nothing that is kept from run to run, or drawn.
    """
    stack, seen = [symbol], set[Symbol]()
    while stack:
        known = stack.pop()
        if known in seen:
            continue
        seen.add(known)
        step = known.step
        if known.value.kind not in (Kind.TENSOR, Kind.PLACEHOLDER, *PLAIN) or step.random:
            return False
        if walker._variables_made(step.node) or step.after or hasattr(known.value.data, "element"):
            return False
        if known.value.kind is Kind.TENSOR and known.value.data is not None:
            return False
        stack.extend(step.uses)
    return True


def _items(block: ast.stmt) -> Iterable[ast.withitem]:
    return block.items if isinstance(block, ast.With) else ()


def again(walker: Any, region: Region, given: dict[str, Value], node: ast.AST) -> None:
    """One more call: it must do as the first one did.

    Raises:
        Blocked: it is given something else.
    """
    frame: dict[str, Value] = walker.kept.get(("first given", id(region)), {})
    for name, value in given.items():
        first = frame.get(name, value)
        kinds = {first.kind, value.kind}
        if value.kind is first.kind is Kind.OPTIMIZER:
            continue
        if len(kinds) > 1 and not kinds <= {Kind.HOST, Kind.NONE, Kind.CONST}:
            raise Blocked(node, f"`{region.name}` is called in another way before")
        if value.kind in SAME and getattr(value.data, "node", value.data) is not getattr(
            first.data, "node", first.data
        ):
            raise Blocked(node, f"`{region.name}` is given another function before")


def optimizer(walker: Any, target: ast.FunctionDef, name: str, value: Value, node: ast.AST) -> None:
    """An optimizer is given to a function, which knows it by a parameter's name.

    Raises:
        Blocked: something else knows it too, or its learning rate is a matter of runs.
    """
    symbol = Symbol(name, Step(-1, target, Kind.HOST), value)
    first = walker.kept.setdefault(("first optimizer", id(target), name), value)
    for given in (value, *_default(walker, target, name, value if first is value else None)):
        made = given.data
        known = made.symbol is not None or id(made.call) in walker.rewrites
        if known or made.rate is not None or made.schedule is not None:
            raise Blocked(node, "an optimizer that has a name, or a rate that changes, is given")
        made.symbol = symbol
        walker.rewrites[id(made.call)] = _written(made.call)
        if first is not given:
            walker.instead(first, given, node)


def _written(call: ast.Call) -> Callable[[Any], str]:
    return lambda writer: str(writer.module.given_optimizer(call))


def _default(
    walker: Any, target: ast.FunctionDef, name: str, value: Value | None
) -> Iterable[Value]:
    """The optimizer that is a parameter's default, where a call gives another one."""
    names = [a.arg for a in target.args.args]
    defaults = dict(zip(reversed(names), reversed(target.args.defaults), strict=False))
    if value is not None and name in defaults and defaults[name] is not value.data.call:
        found = walker.expression(defaults[name])
        if found.kind is Kind.OPTIMIZER:
            yield found
