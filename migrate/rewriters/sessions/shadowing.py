"""Tensors of attributes under names of their own, where Python's values have theirs.

``def __init__(self, loss='log')`` whose branches read ``loss`` and set ``self.loss``: in a function
a tensor of the object is a local name, and would hide what the function reads of the method.
"""

from __future__ import annotations

from collections.abc import Iterable

from migrate.programs.graph.model import Region, Symbol
from migrate.programs.graph.slices import Plan


def told_apart(plans: Iterable[Plan], region: Region, taken: set[str]) -> None:
    """Give such tensors other names; ``taken``: those that the file has."""
    plans = list(plans)
    given = {s for plan in plans for s in (*plan.params, *plan.fixed)}
    local = {s.name for step in region.steps for s in step.defs if not s.attribute and step.moves}
    for name in sorted({n for plan in plans for n in _hiding(plan)}):
        tensors = [s for step in region.steps for s in step.defs if _tensor(s) and s.name == name]
        if name in local or any(s in given for s in tensors):
            continue  # one name for both of them, or a parameter's
        number, new = 1, f"{name}_value"
        while new in taken:
            number += 1
            new = f"{name}_value{number}"
        taken.add(new)
        for symbol in tensors:
            symbol.name = new


def _tensor(symbol: Symbol) -> bool:
    """Whether a symbol is an attribute that is computed in functions."""
    return symbol.attribute and symbol.step.moves


def _hiding(plan: Plan) -> set[str]:
    """The names that a function would bind and also has to read from around it."""
    inside = {*plan.steps}
    bound = {s.name for step in plan.steps for s in step.defs if _tensor(s)}
    around = (s for step in plan.steps for s in step.uses)
    return bound & {
        s.name
        for s in around
        if not s.attribute and s.step not in inside and s not in plan.params and s not in plan.fixed
    }
