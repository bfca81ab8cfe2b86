"""Calls of a step on another device against the same calls on the CPU: rungs for a result.

A result may be off by 1e-5 of its largest element, and the norm of a variable by as much of itself,
or by three times what one ulp on the start values does to it on the CPU, whichever is more. Nothing
else widens that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from migrate.parity.compare import Difference
from migrate.parity.devices.steps import Steps
from migrate.parity.tolerances import ENVELOPE_FACTOR, Tolerances
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED, Rung


def rung(
    name: str, steps: Steps, found: Sequence[Mapping[str, Any] | None], tolerances: Tolerances
) -> Rung:
    """Compare distances of calls (``outputs`` and ``norms``, as ``rerun.distances`` gives them).

    ``found`` has an entry for each kept call, None where nothing ran.
    """
    allowed = tolerances.free
    text = f"{allowed:g} relative or {ENVELOPE_FACTOR:g} × the 1-ulp envelope"
    for function in steps.judged:
        if function.get("draws"):
            reason = f"{function['name']} draws random numbers where they can't be given to it"
            return Rung(name, NOT_RUN, f"{reason} ({', '.join(function['draws'])})")
    worst, worst_of, count, step = 0.0, "", 0, 0
    for call, got in zip(steps.calls, found, strict=False):
        function = steps.functions[call["function"]]
        if function.get("draws"):
            continue  # beside the training: another device draws others
        if got is None:
            if function["train"]:
                break
            continue
        envelope = call.get("envelope", {"outputs": [], "norms": {}})
        pairs = [
            (f"result {place} of {function['name']}", value, _at(envelope["outputs"], place))
            for place, value in enumerate(got["outputs"])
        ]
        pairs += [
            (f"norm of {key}", value, envelope["norms"].get(key, 0.0))
            for key, value in got["norms"].items()
        ]
        for what, value, moved in pairs:
            limit = max(allowed, ENVELOPE_FACTOR * moved)
            count += 1
            if not math.isfinite(value) or value > limit:
                difference = Difference(
                    what, "differs from the CPU", step=step, mismatched=1, total=1,
                    max_rel=value, tolerance=limit,
                )  # fmt: skip
                return Rung(
                    name, FAILED, difference.headline(), count, text, value, what, difference
                )
            if value > worst:
                worst, worst_of = value, what
        step += bool(function["train"])
    if not count:
        return Rung(name, NOT_RUN, "no call of a compiled function was kept")
    return Rung(name, PASSED, "", count, text, worst, worst_of, notes=[f"{step} training steps"])


def _at(values: Sequence[float], place: int) -> float:
    return values[place] if place < len(values) else 0.0


def of_calls(steps: Steps, calls: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
    """Distances of the calls that ``run_steps`` made, by the number of the call."""
    found: list[dict[str, Any] | None] = [None] * len(steps.calls)
    for item in calls:
        if "norms" in item and item["call"] < len(found):
            found[item["call"]] = {"outputs": item["outputs"], "norms": item["norms"]}
    return found
