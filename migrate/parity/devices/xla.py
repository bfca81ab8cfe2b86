"""The xla column: every step under ``jit_compile=True`` on the CPU, and what XLA lacks for it.

What compiles here compiles for a TPU too, as far as kernels go: of the 489 operations that
TensorFlow 2.21's XLA has on the CPU none is missing on the TPU (docs/parity.md).
"""

from __future__ import annotations

from migrate.parity.devices import judge
from migrate.parity.devices.steps import Steps
from migrate.parity.tolerances import Tolerances
from migrate.parity.verdict import NOT_RUN, PASSED, Result, Rung


def add(result: Result, sides: list[Steps], tolerances: Tolerances) -> None:
    """Add the rungs of both sides to a result."""
    for steps in sides:
        result.rungs += rungs(steps, tolerances)


def rungs(steps: Steps, tolerances: Tolerances) -> list[Rung]:
    """Do the steps compile, and do they give the same numbers?"""
    obstacle = steps.obstacle()
    compiled = [function for function in steps.judged if function["module"] is not None]
    name = f"{steps.side} compiles"
    if obstacle:
        rung = Rung(name, NOT_RUN, obstacle)
        told = (item.describe() for item in steps.lacking())
        rung.notes = [sentence for sentence in told if sentence not in obstacle]
        return [rung, Rung(f"{steps.side} jitted", NOT_RUN, "it does not compile")]
    kernels = Rung(name, PASSED, compared=len(compiled))
    kernels.notes = [f"StableHLO: {sum(item.get('bytes', 0) for item in compiled)} bytes"]
    jitted = [call.get("jit") for call in steps.calls]
    compared = judge.rung(f"{steps.side} jitted", steps, jitted, tolerances)
    compared.notes += [note for note in steps.record.get("notes", []) if "jit_compile" in note]
    return [kernels, compared]
