"""Climb the ladder of the official guide and stop at the first rung that fails.

exit → variables → forward → gradients → one step → lock-step → free run → end state → outputs →
checkpoints. The first two runs decide everything but *lock-step*, which takes a second run of the
migrated program with the original's variables put back every k steps.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from migrate.parity import artifacts, compare, envelope
from migrate.parity.bundle import Bundle, Series
from migrate.parity.compare import Difference
from migrate.parity.naming import Matching, Pair
from migrate.parity.tolerances import (
    Tolerances,
    coarser,
    describe,
    epsilon_of,
    scale_of,
)
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED, RUNGS, Rung

if TYPE_CHECKING:
    from migrate.parity.bundle import Array

ALIASES = {"acc": "accuracy", "val_acc": "val_accuracy"}


@dataclass
class Climb:
    """What the rungs look at."""

    before: Bundle
    after: Bundle
    matching: Matching
    tolerances: Tolerances = field(default_factory=Tolerances)
    lockstep: Bundle | None = None
    lockstep_reason: str = ""
    checkpoints: list[CheckpointCheck] = field(default_factory=list)
    checkpoint_reason: str = "neither program writes a checkpoint"
    ignored: Sequence[re.Pattern[str]] = ()
    seed_only: bool = False
    printed: bool = False

    @property
    def factor(self) -> float:
        """How many envelopes a difference may reach."""
        return self.tolerances.envelope_factor


@dataclass(frozen=True)
class CheckpointCheck:
    """Tensors of a checkpoint beside what a restore of it gave, by the original's names."""

    direction: str
    expected: Mapping[str, Array]
    restored: Mapping[str, Array]
    note: str = ""


@dataclass(frozen=True)
class SeriesPair:
    """The same scalar on both sides."""

    name: str
    before: Series
    after: Series
    how: str


class _Worst:
    """Counts comparisons and remembers the one nearest to, or furthest beyond, its tolerance."""

    def __init__(self) -> None:
        self.count = 0
        self.value: float | None = None
        self.name = ""

    def see(self, name: str, value: float) -> None:
        self.count += 1
        if self.value is None or value > self.value:
            self.value, self.name = value, name


#: Of programs that make several models, one after the other, each with its training.
PRINTED = "only what the programs print and write is compared"


def climb(context: Climb, stop_after: str | None = None) -> list[Rung]:
    """All rungs in order; those above a failure are "not run".

    Args:
        context: the runs.
        stop_after: name of the last rung to climb, to decide whether another run is worth it.
    """
    rungs: list[Rung] = []
    failed: str | None = None
    texts = describe(context.tolerances)
    for name in RUNGS:
        if failed is not None:
            rungs.append(Rung(name, NOT_RUN, f"stopped at the rung {failed!r}"))
            continue
        if context.printed and name not in ("exit", "outputs"):
            rungs.append(Rung(name, NOT_RUN, PRINTED))
            continue
        rung = STEPS[name](context)
        rung.tolerance = texts.get(name, "")
        rungs.append(rung)
        if rung.status == FAILED:
            failed = name
        if name == stop_after:
            break
    return rungs


def failure(name: str, difference: Difference, worst: _Worst | None = None) -> Rung:
    """A failed rung."""
    rung = Rung(name, FAILED, difference.headline(), difference=difference)
    if worst is not None:
        rung.compared = worst.count
    return rung


def success(name: str, worst: _Worst, nothing: str) -> Rung:
    """A passed rung, or one that found nothing to compare."""
    if not worst.count:
        return Rung(name, NOT_RUN, nothing)
    return Rung(name, PASSED, compared=worst.count, worst=worst.value, worst_of=worst.name)


# -- the rungs --------


def exit_status(context: Climb) -> Rung:
    """Both programs end in the same way."""
    first, second = context.before.ending, context.after.ending
    for side, ending in (("original", first), ("migrated program", second)):
        if ending.get("kind") != "exit":
            return Rung("exit", FAILED, f"the {side} failed by itself: {ending_text(ending)}")
    if first.get("code") != second.get("code"):
        row = ("", str(first.get("code")), str(second.get("code")))
        reason = f"{second.get('code')} instead of {first.get('code')}"
        return failure("exit", Difference("exit code", reason, rows=[row]))
    rung = Rung("exit", PASSED, compared=1)
    if first.get("code"):
        rung.notes.append(f"both ended with exit code {first.get('code')}")
    return rung


def ending_text(ending: Mapping[str, object]) -> str:
    """How a program ended, with the last line of its error."""
    return str(ending.get("error") or f"{ending.get('kind')} {ending.get('code')}")


def variables(context: Climb) -> Rung:
    """Names, shapes and dtypes of all variables, and their start values."""
    matching, worst = context.matching, _Worst()
    first = {variable.name: variable for variable in context.before.variables}
    second = {variable.name: variable for variable in context.after.variables}
    if not first and not second:
        return Rung("variables", NOT_RUN, "neither program has variables")
    if not second:
        return Rung("variables", NOT_RUN, "the migrated program has no TensorFlow variables")
    if not first:
        return Rung("variables", NOT_RUN, "no variable of the original was observed")
    for pair in matching.pairs:
        one, other = first[pair.before], second[pair.after]
        if one.shape != other.shape:
            reason = f"shape {show_shape(other.shape)} instead of {show_shape(one.shape)}"
            return failure("variables", Difference(label(pair), reason), worst)
        if one.dtype != other.dtype:
            return failure(
                "variables",
                Difference(label(pair), f"dtype {other.dtype} instead of {one.dtype}"),
                worst,
            )
        worst.see(label(pair), 0.0)
    if matching.missing or matching.extra:
        names = [f"{name} (only in the original)" for name in matching.missing]
        names += [f"{name} (only in the migrated program)" for name in matching.extra]
        reason = "trainable variables without a counterpart: " + ", ".join(names)
        both = matching.missing and matching.extra
        hint = "; give a name map if they are the same" if both else ""
        return failure("variables", Difference("variables", reason + hint), worst)
    difference = None if context.seed_only else start_values(context, worst)
    if difference is not None:
        return failure("variables", difference, worst)
    rung = success("variables", worst, "no variable has a counterpart")
    if context.seed_only:
        rung.notes.append("start values not compared: the runs draw different random numbers")
    return rung


def start_values(context: Climb, worst: _Worst) -> Difference | None:
    """The first variable whose start value differs."""
    import numpy as np

    first, second = context.before.snapshot("0"), context.after.snapshot("0")
    for pair in context.matching.pairs:
        one, other = first.get(pair.before), second.get(pair.after)
        if one is None or other is None:
            continue
        dtype = coarser(str(one.dtype), str(other.dtype))
        with np.errstate(all="ignore"):
            finite = one[np.isfinite(one)] if compare.is_float(one) else one
        size = float(np.abs(finite).max()) if finite.size and compare.is_float(one) else 0.0
        allowed = context.tolerances.start * scale_of(dtype) * size
        difference = compare.arrays(f"start value of {label(pair)}", one, other, allowed, step=0)
        if difference is not None:
            return difference
        worst.see(label(pair), compare.measure(one, other).max_rel)
    return None


def forward(context: Climb) -> Rung:
    """The first losses, and arrays fetched before the first step."""
    import numpy as np

    worst = _Worst()
    for pair in series_pairs(context):
        if pair.before.kind != "loss" or not len(pair.before.values) or not len(pair.after.values):
            continue
        difference = series_difference(
            context, pair, context.tolerances.forward, slice(0, 1), worst, window=False
        )
        if difference is not None:
            return failure("forward", difference, worst)
    for name, one, other, step in array_pairs(context):
        if step:
            continue
        dtype = coarser(str(one.dtype), str(other.dtype))
        finite = np.abs(one[np.isfinite(one)]) if compare.is_float(one) else one
        size = float(finite.max()) if finite.size and compare.is_float(one) else 0.0
        _, moved = envelope.pair_of(context.before, f"array/{name}")
        allowed = max(
            context.tolerances.outlier * context.tolerances.forward * scale_of(dtype) * size,
            context.factor * moved,
        )
        difference = compare.arrays(name, one, other, allowed, step=0)
        if difference is not None:
            return failure("forward", difference, worst)
        worst.see(name, compare.measure(one, other).max_rel)
    return success(
        "forward", worst, "no loss, and no array fetched before the first step, on both sides"
    )


def gradients(context: Climb) -> Rung:
    """The gradients of the first step."""
    first, second = context.before.gradients(), context.after.gradients()
    if not first:
        return Rung("gradients", NOT_RUN, "no gradient of the original was within reach")
    if not second:
        return Rung("gradients", NOT_RUN, "no gradient of the migrated program was within reach")
    worst = _Worst()
    after_of = context.matching.after_of()
    for site, counterpart in site_pairs(
        context, context.after, [s for s, _ in first], [s for s, _ in second]
    ):
        for (number, name), one in first.items():
            if number != site or name not in after_of:
                continue
            other = second.get((counterpart, after_of[name]))
            what = f"gradient of {name}"
            if other is None:
                return failure("gradients", Difference(what, "no gradient", step=0), worst)
            dtype = coarser(str(one.dtype), str(other.dtype))
            norm, moved = envelope.pair_of(context.before, f"gradient/{site}/{name}")
            rate = context.tolerances.gradient * scale_of(dtype)
            difference = compare.norms(
                what,
                one,
                other,
                norm_allowed=max(rate * norm_of(one), context.factor * norm),
                max_allowed=max(
                    context.tolerances.outlier * rate * largest(one), context.factor * moved
                ),
                step=0,
            )
            if difference is not None:
                return failure("gradients", difference, worst)
            worst.see(what, relative(one, other))
    return success("gradients", worst, "no gradient has a counterpart")


def one_step(context: Climb) -> Rung:
    """Every variable and slot after one training step."""
    if "1" not in context.before.record.get("snapshots", []):
        return Rung("one step", NOT_RUN, "the original made no training step")
    if "1" not in context.after.record.get("snapshots", []):
        reason = "the migrated program made no training step that could be observed"
        if context.after.steps:
            reason = "the migrated program makes several training steps in one call"
        return Rung("one step", NOT_RUN, reason)
    worst = _Worst()
    difference = updates(context, context.after, "0", "1", 1, worst, context.tolerances.update)
    if difference is not None:
        return failure("one step", difference, worst)
    return success("one step", worst, "no variable has a counterpart")


def lock_step(context: Climb) -> Rung:
    """Windows of k steps, each from the original's own variables."""
    run = context.lockstep
    if run is None:
        return Rung("lock-step", NOT_RUN, context.lockstep_reason or "not asked for")
    if run.ending.get("code"):
        return Rung("lock-step", FAILED, f"the run failed: {ending_text(run.ending)}")
    restored = dict((run.record.get("restore") or {"restored": []})["restored"])
    if not restored:
        return Rung("lock-step", NOT_RUN, "the migrated program let no variable be restored")
    every = int(run.record["restore"]["every"])
    stop = max(restored) + every
    worst = _Worst()
    for pair in series_pairs(context, run):
        if pair.before.kind != "loss":
            continue
        difference = series_difference(
            context, pair, context.tolerances.loss, slice(0, stop), worst, window=True, every=every
        )
        if difference is not None:
            return failure("lock-step", difference, worst)
    available = set(context.before.record["snapshots"]) & set(run.record["snapshots"])
    for start in sorted(restored):
        end = start + every
        if str(end) not in available or str(start) not in available:
            continue
        difference = updates(
            context, run, str(start), str(end), every, worst, context.tolerances.update,
            window=every,
        )  # fmt: skip
        if difference is not None:
            return failure("lock-step", difference, worst)
    rung = success("lock-step", worst, "no window of steps was complete")
    trained = [pair.after for pair in context.matching.pairs if pair.kind != "state"]
    left = sorted(set(trained) - set(restored[min(restored)]) - set(restored[max(restored)]))
    if left:
        rung.notes.append("not restored: " + ", ".join(left[:10]))
    rung.notes.append(f"windows of {every} steps from {sorted(restored)}")
    return rung


def free_run(context: Climb) -> Rung:
    """Scalars of the whole run, within the original's own 1-ulp envelope."""
    import numpy as np

    worst = _Worst()
    for pair in series_pairs(context):
        if len(pair.before.values) != len(pair.after.values):
            reason = f"{len(pair.after.values)} values instead of {len(pair.before.values)}"
            return failure("free run", Difference(pair.name, reason), worst)
        difference = series_difference(
            context, pair, context.tolerances.free, slice(None), worst, window=False
        )
        if difference is not None:
            return failure("free run", difference, worst)
    for name, one, other, step in array_pairs(context):
        if not step:
            continue
        dtype = coarser(str(one.dtype), str(other.dtype))
        finite = np.abs(one[np.isfinite(one)]) if compare.is_float(one) else one
        size = float(finite.max()) if finite.size and compare.is_float(one) else 0.0
        _, moved = envelope.pair_of(context.before, f"array/{name}")
        allowed = max(context.tolerances.free * scale_of(dtype) * size, context.factor * moved)
        difference = compare.arrays(name, one, other, allowed, step=step)
        if difference is not None:
            return failure("free run", difference, worst)
        worst.see(name, compare.measure(one, other).max_rel)
    rung = success("free run", worst, "no scalar is recorded on both sides")
    runs = envelope.runs_of(context.before)
    rung.notes.append(f"envelope of {runs} runs with 1-ulp changes" if runs else "no envelope")
    return rung


def end_state(context: Climb) -> Rung:
    """Every variable and slot at the end."""
    if not context.before.snapshot("end") or not context.after.snapshot("end"):
        return Rung("end state", NOT_RUN, "a program left no variables to read at its end")
    worst = _Worst()
    steps = max(1, context.before.steps)
    difference = updates(context, context.after, "0", "end", steps, worst, context.tolerances.free)
    if difference is not None:
        return failure("end state", difference, worst)
    return success("end state", worst, "no variable has a counterpart")


def outputs(context: Climb) -> Rung:
    """Printed text and numbers, and the files that were written."""
    worst = _Worst()
    notes = []
    if context.before.stdout.strip() or context.after.stdout.strip():
        import numpy as np

        moved = context.before.arrays.get(envelope.PREFIX + "printed")
        allowed = None
        if moved is not None:
            allowed = [float(value) for value in context.factor * np.asarray(moved)]
        one, other = context.before.stdout, context.after.stdout
        if context.before.ending.get("stopped") and context.after.ending.get("stopped"):
            one, other = common_lines(one, other)
            notes.append("both stopped at a step limit: compared up to the shorter output")
        result = compare.texts(
            "printed text",
            one,
            other,
            context.tolerances.printed,
            allowed,
            context.ignored,
        )
        if result.difference is not None:
            return failure("outputs", result.difference, worst)
        if result.lines:
            worst.see("printed text", result.worst)
            worst.count += result.lines + result.numbers - 1
        if result.timings:
            notes.append(f"numbers of {result.timings} lines with timings not compared")
    checked = artifacts.compare_files(
        context.before.files(), context.after.files(), context.tolerances, context.before
    )
    notes += checked.notes
    for name, value in checked.compared:
        worst.see(name, value)
    if checked.difference is not None:
        return failure("outputs", checked.difference, worst)
    rung = success("outputs", worst, "neither program prints or writes anything comparable")
    rung.notes += notes
    return rung


def common_lines(first: str, second: str) -> tuple[str, str]:
    """Both texts cut to the number of lines of the shorter."""
    one, other = first.splitlines(), second.splitlines()
    count = min(len(one), len(other))
    return "\n".join(one[:count]), "\n".join(other[:count])


def checkpoint_rung(context: Climb) -> Rung:
    """Checkpoints of each side restored on the other."""
    if not context.checkpoints:
        return Rung("checkpoints", NOT_RUN, context.checkpoint_reason)
    worst = _Worst()
    notes = []
    for check in context.checkpoints:
        if check.note:
            notes.append(f"{check.direction}: {check.note}")
        for name, expected in check.expected.items():
            what = f"{check.direction}: {name}"
            restored = check.restored.get(name)
            if restored is None:
                return failure("checkpoints", Difference(what, "not restored"), worst)
            difference = compare.arrays(what, expected, restored, 0.0)
            if difference is not None:
                return failure("checkpoints", difference, worst)
            worst.see(what, 0.0)
    rung = success("checkpoints", worst, context.checkpoint_reason)
    rung.notes += notes
    return rung


STEPS: dict[str, Callable[[Climb], Rung]] = {
    "exit": exit_status,
    "variables": variables,
    "forward": forward,
    "gradients": gradients,
    "one step": one_step,
    "lock-step": lock_step,
    "free run": free_run,
    "end state": end_state,
    "outputs": outputs,
    "checkpoints": checkpoint_rung,
}


# -- series, arrays and updates --------


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
    worst: _Worst,
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


def updates(
    context: Climb,
    run: Bundle,
    start: str,
    end: str,
    steps: int,
    worst: _Worst,
    rtol: float,
    *,
    window: int = 0,
) -> Difference | None:
    """The first variable whose value after some steps differs by too much of what they changed."""
    begin, one_side = context.before.snapshot(start), context.before.snapshot(end)
    other_side = run.snapshot(end)
    label_of_envelope = str(window) if window else end
    if window and not _has_envelope(context.before, label_of_envelope):
        label_of_envelope = "1"
    for pair in context.matching.pairs:
        one, other = one_side.get(pair.before), other_side.get(pair.after)
        if one is None or other is None:
            continue
        origin = begin.get(pair.before)
        what = label(pair)
        step = steps if end == "end" else int(end)
        if not compare.is_float(one):
            difference = compare.arrays(what, one, other, 0.0, step=step)
        else:
            dtype = coarser(str(one.dtype), str(other.dtype))
            update = one if origin is None or origin.shape != one.shape else one - origin
            norm, moved = envelope.pair_of(context.before, f"v/{label_of_envelope}/{pair.before}")
            rate = rtol * scale_of(dtype)
            ulp = epsilon_of(dtype) * math.sqrt(steps)
            difference = compare.norms(
                what,
                one,
                other,
                norm_allowed=max(rate * norm_of(update), context.factor * norm)
                + ulp * norm_of(one),
                max_allowed=max(
                    context.tolerances.outlier * rate * largest(update), context.factor * moved
                )
                + 4 * ulp * largest(one),
                step=step,
            )
        if difference is not None:
            return difference
        worst.see(what, relative(one, other))
    return None


def _has_envelope(bundle: Bundle, snapshot: str) -> bool:
    prefix = f"{envelope.PREFIX}v/{snapshot}/"
    return any(key.startswith(prefix) for key in bundle.arrays)


def label(pair: Pair) -> str:
    """A variable as the report names it."""
    return pair.before if pair.before == pair.after else f"{pair.before} = {pair.after}"


def show_shape(shape: tuple[int | None, ...] | None) -> str:
    """A shape as TensorFlow prints it."""
    return "unknown" if shape is None else str(list(shape)).replace("None", "?")


def norm_of(value: Array) -> float:
    """Euclidean norm over the finite elements."""
    import numpy as np

    numbers = value.astype(np.float64)
    return float(np.linalg.norm(numbers[np.isfinite(numbers)]))


def largest(value: Array) -> float:
    """Largest finite magnitude."""
    import numpy as np

    numbers = np.abs(value.astype(np.float64))
    finite = numbers[np.isfinite(numbers)]
    return float(finite.max()) if finite.size else 0.0


def relative(one: Array, other: Array) -> float:
    """Norm of the difference relative to the norm of the first."""
    import numpy as np

    size = norm_of(one)
    with np.errstate(all="ignore"):
        return norm_of(one.astype(np.float64) - other.astype(np.float64)) / size if size else 0.0
