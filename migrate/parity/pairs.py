"""Scalars and arrays that both sides record: which belong together, and where they part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from migrate.parity import compare, envelope
from migrate.parity.bundle import Bundle, Series
from migrate.parity.climb import Climb, Worst
from migrate.parity.compare import Difference
from migrate.parity.tolerances import coarser, scale_of

if TYPE_CHECKING:
    from migrate.parity.bundle import Array

ALIASES = {"acc": "accuracy", "val_acc": "val_accuracy"}


@dataclass(frozen=True)
class SeriesPair:
    """The same scalar on both sides."""

    name: str
    before: Series
    after: Series
    how: str


def series_pairs(context: Climb, run: Bundle | None = None) -> list[SeriesPair]:
    """Scalars that both sides record: losses by site, the rest by name, returns by position."""
    before = list(context.before.series())
    after = list((run or context.after).series())
    pairs = []
    losses = [item for item in before if item.kind == "loss"]
    other_losses = [item for item in after if item.kind == "loss"]
    of_site = {int(item.label): item for item in losses}
    of_other = {int(item.label): item for item in other_losses}
    sites = site_pairs(context, run or context.after, of_site, of_other)
    for place, (site, other) in enumerate(sites):
        name = "loss" if len(losses) == 1 else f"loss {place + 1}"
        pairs.append(SeriesPair(name, of_site[site], of_other[other], "loss"))
    history = {
        ALIASES.get(item.label, item.label): item for item in after if item.kind == "history"
    }
    for item in before:
        counterpart = history.get(ALIASES.get(item.label, item.label))
        if item.kind == "history" and counterpart is not None:
            pairs.append(SeriesPair(f"history {item.label}", item, counterpart, "name"))
    fetched = [item for item in without_losses(before, losses) if item.kind == "fetch"]
    named = {item.label: item for item in after if item.kind == "fetch"}
    looks = {item.label: item for item in after if item.kind == "look"}
    for item in before:
        # Runs without a training step: hooks of the runtime fetch the global step at will.
        counterpart = looks.get(item.label)
        if item.kind != "look" or counterpart is None:
            continue
        if len(counterpart.values) == len(item.values):
            pairs.append(SeriesPair(f"{item.label} (no step)", item, counterpart, "name"))
    free = []
    for item in fetched:
        if item.label in named:
            pairs.append(SeriesPair(item.label, item, named[item.label], "name"))
        else:
            free.append(item)
    returned = [item for item in without_losses(after, other_losses) if item.kind == "return"]
    pairs += by_position(free, returned)
    return pairs


def site_pairs(
    context: Climb, run: Bundle, first: Iterable[int], second: Iterable[int]
) -> list[tuple[int, int]]:
    """Sites of gradients that belong together: by the variables that they train, else by order.

    A graph has its sites in the order in which they were built, functions in that of their calls.
    """
    after_of = context.matching.after_of()
    mine, theirs = sorted(set(first)), sorted(set(second))
    trained = {
        site: {after_of.get(name) for number, name in context.before.gradients() if number == site}
        for site in mine
    }
    counterparts = {
        site: {name for number, name in run.gradients() if number == site} for site in theirs
    }
    found: dict[int, int] = {}
    for site in mine:
        same = [other for other in theirs if trained[site] and counterparts[other] == trained[site]]
        if len(same) == 1 and list(trained.values()).count(trained[site]) == 1:
            found[site] = same[0]
    rest = [site for site in theirs if site not in found.values()]
    found.update(zip((site for site in mine if site not in found), rest, strict=False))
    return sorted(found.items())


def without_losses(items: Sequence[Series], losses: Sequence[Series]) -> Iterator[Series]:
    """Series that are not a loss under another name."""
    import numpy as np

    for item in items:
        copies = item.kind in ("fetch", "return") and any(
            len(loss.values) == len(item.values)
            and np.array_equal(loss.values, item.values, equal_nan=loss.values.dtype.kind == "f")
            for loss in losses
        )
        if not copies:
            yield item


def by_position(first: Sequence[Series], second: Sequence[Series]) -> list[SeriesPair]:
    """Fetched scalars beside returned ones, if their numbers and lengths leave no choice."""
    if len(first) != len(second):
        return []
    if any(len(one.values) != len(other.values) for one, other in zip(first, second, strict=True)):
        return []
    return [
        SeriesPair(f"{one.label} = {other.label}", one, other, "position")
        for one, other in zip(first, second, strict=True)
    ]


def series_difference(
    context: Climb,
    pair: SeriesPair,
    rtol: float,
    part: slice,
    worst: Worst,
    *,
    window: bool,
    every: int = 0,
) -> Difference | None:
    """The first value of a series that lies too far off.

    With ``window`` the envelope is that of the first ``every`` steps, since each window begins from
    the same variables; else the largest so far. Inside a window the weights may be off by
    ``tolerances.update`` of what the steps changed, and the loss by as much of its own change.
    """
    import numpy as np

    one, other = pair.before.values[part], pair.after.values[part]
    count = min(len(one), len(other))
    one, other = one[:count], other[:count]
    exact = one.dtype.kind in "iub" and other.dtype.kind in "iub"
    dtype = coarser(str(one.dtype), str(other.dtype))
    if pair.before.kind == "history":
        dtype = "float32"
    rate = 0.0 if exact else rtol * scale_of(dtype)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(one.astype(np.float64)), np.abs(other.astype(np.float64)))
    allowed = np.where(np.isfinite(size), rate * size, 0.0)
    moved = envelope.series_of(context.before, pair.before.key)
    if moved is not None and not exact:
        if window:
            moved = np.full(count, float(moved[:every].max()) if len(moved) else 0.0)
        allowed = np.maximum(allowed, context.factor * moved[part][:count])
    if window and not exact:
        origins = one[(np.arange(count) // every) * every].astype(np.float64)
        with np.errstate(all="ignore"):
            change = np.nan_to_num(np.abs(one.astype(np.float64) - origins))
        allowed = np.maximum(allowed, context.tolerances.update * scale_of(dtype) * change)
    steps = pair.before.steps[part][:count]
    for place in range(count):
        difference = compare.arrays(
            pair.name, one[place : place + 1], other[place : place + 1],
            float(allowed[place]), step=int(steps[place]),
        )  # fmt: skip
        if difference is not None:
            found = compare.arrays(pair.name, one, other, allowed)
            assert found is not None
            rows = [
                (f"step {int(steps[index])}", compare.show(one[index]), compare.show(other[index]))
                for index in range(max(0, place - 1), min(count, place + 4))
            ]
            return Difference(
                pair.name, found.reason, int(steps[place]), found.mismatched, count,
                difference.max_abs, difference.max_rel, float(allowed[place]), rows,
            )  # fmt: skip
        worst.see(pair.name, difference_of(one[place], other[place]))
    return None


def difference_of(one: Array, other: Array) -> float:
    """Relative distance of two numbers."""
    first, second = float(one), float(other)
    size = max(abs(first), abs(second))
    if not size or not math.isfinite(size):
        return 0.0
    return abs(first - second) / size


def array_pairs(context: Climb) -> Iterator[tuple[str, Array, Array, int]]:
    """Arrays of the same name on both sides, with the step they were fetched at."""
    steps = context.before.record.get("array_steps", {})
    second = context.after.prefixed("array/")
    for name, value in context.before.prefixed("array/").items():
        if name in second:
            yield name, value, second[name], int(steps.get(name, 0))
