"""What prints tensors goes into the function that computes them, which stands before its runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.engine.trees import all_of, walk
from migrate.programs.graph.model import Blocked, Region, Step
from migrate.programs.graph.slices import Plan

DEFINES = (ast.FunctionDef, ast.ClassDef)
REASON = "a tensor is printed behind a run that computes it"


def prints(step: Step) -> bool:
    """Whether a statement that only looks at tensors prints: it isn't an assertion."""
    return step.rides and any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "print"
        for n in walk(step.node)
    )


def behind(plan: Plan, region: Region, trees: Iterable[ast.Module]) -> bool:
    """Whether something that may run a function stands before what it prints."""
    riders = [s for s in plan.steps if s.rides and s.region is region]
    if not riders:
        return False
    made = [s.order for s in plan.steps if not s.rides and s.region is region]
    last = max(riders, key=lambda s: s.order)
    first = max(made, default=-1)
    sites = {site.step for site in plan.sites}
    own: set[str] = set()
    if any(s is None or s.function is not last.function for s in sites):
        own = {n.name for tree in trees for n in walk(tree) if isinstance(n, DEFINES)}
    between = [s for s in region.steps if first < s.order < last.order and not s.moves]
    return any(s in sites or own & _names(s.node) for s in between)


def ahead(plan: Plan, region: Region, trees: Iterable[ast.Module]) -> None:
    """See that what a function prints stands before everything that may run it.

    Raises:
        Blocked: something doesn't.
    """
    if behind(plan, region, trees):
        riders = (s for s in plan.steps if s.rides and s.region is region)
        raise Blocked(max(riders, key=lambda s: s.order).node, REASON)


def _names(node: ast.stmt) -> set[str]:
    """The functions that a statement may call."""
    if isinstance(node, DEFINES):
        return set()
    found = {n.id for n in all_of(node, ast.Name)}
    return found | {n.attr for n in all_of(node, ast.Attribute)}
