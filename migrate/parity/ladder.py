"""Climb the ladder of the official guide and stop at the first rung that fails.

exit → variables → forward → gradients → one step → lock-step → free run → end state → outputs →
checkpoints. The first two runs decide everything but *lock-step*, which takes a second run of the
migrated program with the original's variables put back every k steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from migrate.parity import artifacts, compare, envelope
from migrate.parity.climb import Climb, Worst
from migrate.parity.compare import Difference
from migrate.parity.pairs import (
    array_pairs,
    series_difference,
    series_pairs,
    site_pairs,
)
from migrate.parity.tolerances import (
    coarser,
    describe,
    scale_of,
)
from migrate.parity.updates import label, largest, norm_of, relative, updates
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED, RUNGS, Rung

if TYPE_CHECKING:
    pass


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


def failure(name: str, difference: Difference, worst: Worst | None = None) -> Rung:
    """A failed rung."""
    rung = Rung(name, FAILED, difference.headline(), difference=difference)
    if worst is not None:
        rung.compared = worst.count
    return rung


def success(name: str, worst: Worst, nothing: str) -> Rung:
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
    matching, worst = context.matching, Worst()
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
    skip = context.seed_only or trained_apart(context)
    difference = None if skip else start_values(context, worst)
    if difference is not None:
        return failure("variables", difference, worst)
    rung = success("variables", worst, "no variable has a counterpart")
    if trained_apart(context):
        rung.notes.append("start values not compared: one program trains and the other doesn't")
    if context.seed_only:
        rung.notes.append("start values not compared: the runs draw different random numbers")
    return rung


def trained_apart(context: Climb) -> bool:
    """Whether steps were seen in one program alone: the other's first values are its last ones."""
    return bool(context.before.steps) != bool(context.after.steps)


def start_values(context: Climb, worst: Worst) -> Difference | None:
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

    worst = Worst()
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
    worst = Worst()
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
    worst = Worst()
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
    worst = Worst()
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

    worst = Worst()
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
    worst = Worst()
    steps = max(1, context.before.steps)
    difference = updates(context, context.after, "0", "end", steps, worst, context.tolerances.free)
    if difference is not None:
        return failure("end state", difference, worst)
    return success("end state", worst, "no variable has a counterpart")


def outputs(context: Climb) -> Rung:
    """Printed text and numbers, and the files that were written."""
    worst = Worst()
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
    worst = Worst()
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


def show_shape(shape: tuple[int | None, ...] | None) -> str:
    """A shape as TensorFlow prints it."""
    return "unknown" if shape is None else str(list(shape)).replace("None", "?")
