"""What is printed of tensors that no run computes, or several do: a function that isn't run.

TF 1 made the graph, too, and printed what the author asked for:

    @tf.function(input_signature=[x])
    def show_z(x):
        z = tf.nn.tanh(x)
        print("z = " + str(z))

    show_z.get_concrete_function()
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from migrate.engine.trees import walk
from migrate.programs.graph.feeding import listed_placeholders
from migrate.programs.graph.meaning import T
from migrate.programs.graph.model import Feed, Fetch, Kind, Region, Site, Step, Symbol, Value
from migrate.programs.graph.slices import Plan, has_default, invoked_by, plan_of
from migrate.rewriters.sessions.printed import behind, prints

# What a statement may read that is there before any run, or is made by the function itself.
KNOWN = frozenset(
    {
        *(Kind.HOST, Kind.NONE, Kind.CONST, Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE),
        *(Kind.ENDPOINT, Kind.FUNCTION),
    }
)


def alone(program: Any, region: Region, plans: Iterable[Plan]) -> list[Plan]:
    """Functions for what a region prints that no run computes, or did before, or several do.

    What is printed before such a thing has one, too, or it would come later.
    """
    if not isinstance(region.node, (ast.Module, ast.FunctionDef)) or region.inputs is not None:
        return []
    plans = [*plans]
    covered = _printed_once(program, region, plans)
    printing = [s for s in region.steps if prints(s)]
    last = next((s.order for s in reversed(printing) if s not in covered), -1)
    missing = [s for s in printing if s.order <= last]
    covered -= {*missing}
    found: list[Plan] = []
    for step in reversed(missing):
        if step in covered or not isinstance(step.node, ast.Expr):
            continue
        asked = [s for s in step.uses if s.step.moves or s.value.kind is Kind.PLACEHOLDER]
        assert isinstance(step.node.value, ast.Call)
        site = site_of(region, step, asked, step.node.value)
        plan = plan_of(region, site, program.fed, program.lent)
        if not traced(program, plan):
            continue
        others = [s for s in plan.steps if prints(s) and s is not step]
        beside = [s for s in others if s in missing and s not in covered]
        beside = [s for s in beside if _together(region, s, step)]
        plan.steps = [s for s in plan.steps if s in beside or s not in others]
        covered.update((step, *beside))
        plan.shown = True
        plan.sites.append(site)
        found.insert(0, plan)
    shown = {s for plan in found for s in plan.steps if prints(s)}
    if shown != {*missing}:
        return []  # what is left would be printed behind these
    for plan in plans:
        plan.steps = [s for s in plan.steps if s not in shown]
    return found


def _printed_once(program: Any, region: Region, plans: list[Plan]) -> set[Step]:
    """What the runs' functions print in time, and one of them alone."""
    found: set[Step] = set()
    again: set[Step] = set()
    for plan in plans:
        called = {s for call in invoked_by(plan, plans, program.walker) for s in call.steps}
        mine = {s for s in plan.steps if prints(s)} - called
        again |= mine if behind(plan, region, program.trees) else mine & found
        again |= {s for s in mine if _computed_before(plans, plan, s)}
        found |= mine
    return found - again


def _computed_before(plans: list[Plan], plan: Plan, step: Step) -> bool:
    """Whether a run above a print computes what is printed, by the statements of a run below."""
    shown = {s.step for s in step.uses if s.step.moves}
    return any(
        other is not plan
        and shown & {*other.steps}
        and any(site.step is not None and site.step.order < step.order for site in other.sites)
        for other in plans
    )


def traced(program: Any, plan: Plan, trains: Step | None = None) -> bool:
    """Whether a function may be made without a run, once: making it changes nothing.

    What makes variables at its first call is traced twice. ``trains``: the train op that it is for.
    """
    walker = program.walker
    if plan.borrowed or plan.fixed or plan.ways or "recurrent" in walker.kept:
        return False
    if {*plan.params} & {*program.switches} or not all(map(_plain, plan.params)):
        return False
    for step in plan.steps:
        known = KNOWN | {Kind.OPTIMIZER} if step is trains else KNOWN
        if (step.kind is not Kind.TENSOR and step is not trains) or any(
            s.value.kind not in known for s in step.uses
        ):
            return False
    return not any(layered(walker, step) for step in plan.steps)


def layered(walker: Any, step: Step) -> bool:
    """Whether a statement calls layers, which make their variables at their first call."""
    return any(_lazy(walker, n, set()) for n in walk(step.node))


def _lazy(walker: Any, node: ast.AST, seen: set[int]) -> bool:
    """Whether a call is of a layer, or of a function that makes layers beside its variables."""
    if not isinstance(node, ast.Call) or id(node) in seen:
        return False
    seen.add(id(node))
    layer = walker.layers.get(id(node))
    if layer is not None and layer.factory is None:
        return True
    target = layer.factory if layer is not None else walker._module_function(node.func)
    made = walker.entered.get(id(target))
    if target is None or made is None or made.inputs is None:
        return False
    return any(_lazy(walker, n, seen) for n in walk(target))


def _plain(symbol: Symbol) -> bool:
    """Whether a function can be told what a parameter is: it is a placeholder under its name."""
    known = symbol.value.data == T + "placeholder" and not listed_placeholders.is_one(symbol.value)
    return known and symbol.value.kind is Kind.PLACEHOLDER and not has_default(symbol)


def site_of(region: Region, step: Step, shown: Iterable[Symbol], call: ast.Call) -> Site:
    """A run of tensors at a statement, for which everything is fed."""
    names = [(s, ast.copy_location(ast.Name(s.name, ast.Load()), step.node)) for s in shown]
    leaves = [Fetch(name, s.value, uses={s: None}) for s, name in names]
    node = ast.Tuple([leaf.node for leaf in leaves], ast.Load())
    fetch = Fetch(node, Value(Kind.FETCH), leaves, "tuple")
    feeds: list[Feed] = []
    todo, seen = [*step.uses], set[Symbol]()
    while todo:
        symbol = todo.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        if symbol.value.kind is Kind.PLACEHOLDER:
            name = ast.Name(symbol.name, ast.Load())
            feeds.append(Feed(symbol, name, name))
        todo += [s for one in (symbol.step, *symbol.step.after) for s in one.uses]
    return Site(call, fetch, feeds, None, step.node, step, region)


def _together(region: Region, first: Step, last: Step) -> bool:
    """Whether nothing happens between two statements."""
    between = [s for s in region.steps if first.order < s.order < last.order]
    return all(s.moves or s.drop for s in between)
