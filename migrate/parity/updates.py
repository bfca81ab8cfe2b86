"""Variables after some steps: how far they lie apart, against what the steps changed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from migrate.parity import compare, envelope
from migrate.parity.bundle import Bundle
from migrate.parity.climb import Climb, Worst
from migrate.parity.compare import Difference
from migrate.parity.naming import Pair
from migrate.parity.tolerances import coarser, epsilon_of, scale_of

if TYPE_CHECKING:
    from migrate.parity.bundle import Array


def updates(
    context: Climb,
    run: Bundle,
    start: str,
    end: str,
    steps: int,
    worst: Worst,
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
