"""The graph that TF 1 writes for TensorBoard: that of the function that does most.

https://www.tensorflow.org/api_docs/python/tf/summary/graph

TF 2 has a graph for each function. It is written where the session's was, if a function that needs
no values to be traced stands before; else the change says that none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.programs.graph.model import Region, Step
from migrate.programs.graph.slices import Plan
from migrate.programs.graph.summarizing.summaries import GRAPHS
from migrate.rewriters.sessions import datasets

if TYPE_CHECKING:
    from migrate.rewriters.sessions.functions import Functions
    from migrate.rewriters.sessions.planning import Planning

NONE = "no graph is written here: `tf.summary.graph` takes a function's, once it is traced"


def show(page: Planning, regions: Sequence[Region]) -> None:
    """Where writers are given a graph, that of a function; after all functions have names."""
    for shown in page.walker.kept.get(GRAPHS, ()):
        here = (s for region in regions for s in region.steps if s.node is shown.stmt)
        step = next(here, None)
        name = None if step is None or not shown.owner else _largest(page, step, regions)
        if name is None:
            page.turn(shown.stmt)
            page.say(shown.call, NONE)
            continue
        shown.writer.shown = True
        # A statement that is followed twice is written once.
        page.graphs[id(shown.stmt)] = [
            f"with {shown.owner}.as_default():",
            f"{page.text.unit}{page.tf}.summary.graph({name}.get_concrete_function().graph)",
        ]


def _largest(page: Planning, step: Step, regions: Sequence[Region]) -> str | None:
    """The function of most steps, of those that stand before a step and can be traced there."""
    found: dict[str, int] = {}
    for region in regions:
        for plan in page.plans.get(id(region), ()):
            if not _traced(plan, page.functions[id(region)]):
                continue
            if region is step.region:
                place = region.steps[page.place(plan, region)]
                here = place.order < step.order and place.function is step.function
                if here and _read(plan, region) < step.order:
                    found[plan.name] = len(plan.steps)
                continue
            for site in plan.sites:
                run = site.step
                if run is not None and run.region is step.region and run.order > step.order:
                    if _bound(site.owner, step):
                        owner = f"{site.owner}." if site.owner else ""
                        found[f"{owner}{plan.name}"] = len(plan.steps)
    return max(found, key=lambda name: found[name], default=None)


def _read(plan: Plan, region: Region) -> int:
    """Where the last thing is made that a function reads of what surrounds it."""
    symbols = [s for step in plan.steps for s in step.uses]
    symbols += [s for fetch in plan.results for s in fetch.uses]
    own = set(map(id, plan.steps))
    makers = [s.step for s in symbols if s.step.region is region and id(s.step) not in own]
    return max((m.order for m in makers if not m.drop), default=-1)


def _traced(plan: Plan, functions: Functions) -> bool:
    """Whether a function is told what it takes."""
    specs = [functions.spec(symbol) for symbol in plan.params]
    if not specs:
        return True
    if None in specs:
        return False
    return datasets.specs(plan.params, lambda s: str(functions.spec(s))).startswith("input")


def _bound(owner: str, step: Step) -> bool:
    """Whether an object is there before a step of the region that runs its function."""
    root = owner.partition(".")[0]
    assert step.region is not None
    before = step.region.steps[: step.order]
    return root in ("", "self") or any(s.name == root for other in before for s in other.defs)


def lines(page: Planning, step: Step) -> list[str]:
    """What follows a statement, or stands for it."""
    return page.graphs.get(id(step.node), [])
