"""The cpu column: rungs A, B and C for several settings of threads and oneDNN.

A  the original's own graph on TensorFlow 2 against TensorFlow 1.15: what the runtime changes.
B  the migrated program against A, in the same runtime: what the migration changes. Equal in every
   bit, but where Keras computes.
C  the migrated program's free run against TensorFlow 1.15.

A and C may reach 1e-5, or three times the 1-ulp envelope of the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from migrate.parity import climb, compare, envelope, ladder, naming, pairs
from migrate.parity.bundle import Bundle
from migrate.parity.compare import Difference
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.tolerances import ENVELOPE_FACTOR
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED, Rung

if TYPE_CHECKING:
    from migrate.parity.bundle import Array


#: Operations whose values come from outside of the graph: a replay would wait for them, or draw
#: others.
OUTSIDE = ("Queue", "Iterator", "PyFunc", "Reader")


@dataclass(frozen=True)
class Setting:
    """How TensorFlow 2 computes on the CPU."""

    threads: int
    onednn: bool

    @property
    def name(self) -> str:
        """For a rung's name."""
        return f"{self.threads} thr, oneDNN {'on' if self.onednn else 'off'}"

    def variables(self) -> tuple[tuple[str, str], ...]:
        """The environment of the child."""
        count = str(self.threads)
        return (
            ("TF_ENABLE_ONEDNN_OPTS", str(int(self.onednn))),
            ("TF_NUM_INTRAOP_THREADS", count),
            ("TF_NUM_INTEROP_THREADS", "1"),
            ("OMP_NUM_THREADS", count),
        )


SETTINGS = tuple(Setting(threads, onednn) for onednn in (False, True) for threads in (1, 2))


def graph_of(golden: Bundle, recorded: Bundle | None) -> Bundle | None:
    """The run of the original whose graph is replayed.

    The golden run's own graph, but where that reads from queues, iterators or Python: then the
    graph that was recorded for the devices, with what they gave.
    """
    original = golden.record.get("original")
    if not original:
        return recorded
    if recorded is None:
        return golden
    outside = any(word in kind for kind in original.get("op_types", ()) for word in OUTSIDE)
    several = (
        recorded.record.get("original", {}).get("sessions", 1) > 1
    )  # has no replay, and says so
    return recorded if outside or several else golden


def rungs(
    golden: Bundle, graph: Bundle | None, program: Program, options: Options, harness: Harness,
    settings: Sequence[Setting] = SETTINGS,
) -> list[Rung]:  # fmt: skip
    """Rungs A, B and C of every setting; ``graph`` is a run of the original with its graph."""
    if options.printed:
        return [Rung(f"{name} {setting.name}", NOT_RUN, ladder.PRINTED)
                for setting in settings for name in "ABC"]  # fmt: skip
    found = []
    for setting in settings:
        harness.options = replace(options, variables=setting.variables(), device="cpu")
        witness: Bundle | dict[str, Any] = {"reason": "the original's graph is not known"}
        if graph is not None:
            witness = harness.witness(graph)
        after = harness.run_program("tf2", program)
        found += _of_setting(setting.name, golden, witness, after, options)
    return found


def by_site(found: Bundle) -> dict[int, Array]:
    """Losses of a run by the place that they are differentiated at."""
    return {int(item.label): item.values for item in found.series() if item.kind == "loss"}


def _of_setting(
    name: str, golden: Bundle, witness: Bundle | dict[str, Any], after: Bundle, options: Options
) -> list[Rung]:
    first_sites, other_sites = by_site(golden), by_site(after)
    context = climb.Climb(golden, after, naming.match(golden, after, options.names))
    sites = pairs.site_pairs(context, after, first_sites, other_sites)
    recorded = [first_sites[site] for site, _ in sites]
    migrated = [other_sites[other] for _, other in sites]
    moved = [envelope.series_of(golden, f"loss/{site}") for site, _ in sites]
    allowed = [_allowed(value, far, options) for value, far in zip(recorded, moved, strict=True)]
    if isinstance(witness, dict):
        reason = str(witness["reason"])
        first = Rung(f"A {name}", NOT_RUN, reason)
        second = Rung(f"B {name}", NOT_RUN, reason)
    else:
        known = by_site(witness)
        ours = [known.get(site, recorded[0][:0]) for site, _ in sites]
        keras = after.record.get("runtime", {}).get("keras") is not None
        exact = [value * 0.0 for value in allowed]
        first = _compare(f"A {name}", recorded, ours, allowed)
        second = _compare(f"B {name}", ours, migrated, allowed if keras else exact)
    return [first, second, _compare(f"C {name}", recorded, migrated, allowed)]


def _allowed(value: Array, moved: Array | None, options: Options) -> Array:
    import numpy as np

    base = np.abs(value.astype(np.float64)) * options.tolerances.free
    if moved is None or moved.shape != value.shape:
        return base
    return np.maximum(base, ENVELOPE_FACTOR * moved)


def _compare(
    name: str, first: Sequence[Array], second: Sequence[Array], allowed: Sequence[Array]
) -> Rung:
    import numpy as np

    count, worst, equal = 0, 0.0, True
    for site, (one, other, limit) in enumerate(zip(first, second, allowed, strict=False)):
        size = min(len(one), len(other), len(limit))
        one, other, limit = one[:size], other[:size], limit[:size]
        if not size:
            continue
        count += size
        equal = equal and bool(np.array_equal(one, other, equal_nan=True))
        worst = max(worst, compare.measure(one, other).max_rel)
        gap = np.abs(one.astype(np.float64) - other.astype(np.float64))
        wrong = ~(gap <= limit) & ~(np.isnan(one) & np.isnan(other))
        if wrong.any():
            step = int(np.argmax(wrong))
            difference = Difference(
                f"loss {site}", "differs", step, int(wrong.sum()), size, float(gap[step]), worst,
                float(limit[step]), [(str([step]), str(one[step]), str(other[step]))],
            )  # fmt: skip
            return Rung(
                name, FAILED, difference.headline(), count, worst=worst, difference=difference
            )
    if not count:
        return Rung(name, NOT_RUN, "no loss of a training step was observed on both sides")
    notes = ["equal in every bit"] if equal else []
    return Rung(name, PASSED, "", count, worst=worst, worst_of="loss", notes=notes)
