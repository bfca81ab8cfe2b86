"""How far the original moves when its initial weights change by one unit in the last place.

Five runs on TensorFlow 1.15, each with every trainable element moved one ulp up or down at random.
The largest deviation from the plain run, per quantity, is the envelope: a difference between
runtimes that is not larger than a few of these is rounding that the model amplifies, not a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from migrate.parity import compare
from migrate.parity.bundle import Bundle

if TYPE_CHECKING:
    from migrate.parity.bundle import Array

PREFIX = "envelope/"


def attach(bundle: Bundle, runs: Sequence[Bundle], ignored: Sequence[re.Pattern[str]] = ()) -> None:
    """Put the largest deviations of ``runs`` from ``bundle`` into ``bundle`` itself."""
    import numpy as np

    usable = [run for run in runs if run.steps == bundle.steps and not run.ending.get("code")]
    found: dict[str, Array] = {}
    for run in usable:
        for key, value in _deviations(bundle, run, ignored).items():
            known = found.get(key)
            if known is None:
                found[key] = value
            elif known.shape == value.shape:
                found[key] = np.maximum(known, value)
    for key, value in found.items():
        bundle.arrays[PREFIX + key] = value
    bundle.record["envelope"] = {
        "runs": len(usable),
        "asked": len(runs),
        "seeds": [run.record.get("perturb") for run in usable],
    }


def _deviations(
    bundle: Bundle, run: Bundle, ignored: Sequence[re.Pattern[str]]
) -> dict[str, Array]:
    import numpy as np

    found: dict[str, Array] = {}
    others = {series.key: series for series in run.series()}
    for series in bundle.series():
        other = others.get(series.key)
        if other is not None and other.values.shape == series.values.shape:
            found[f"series/{series.key}"] = _distance(series.values, other.values)
    for prefix in ("v/", "gradient/", "array/"):
        theirs = run.prefixed(prefix)
        for key, value in bundle.prefixed(prefix).items():
            other_value = theirs.get(key)
            if (
                other_value is not None
                and other_value.shape == value.shape
                and compare.is_float(value)
            ):
                distance = _distance(value, other_value)
                largest = float(distance.max()) if distance.size else 0.0
                found[prefix + key] = np.array([float(np.linalg.norm(distance)), largest])
    printed = compare.numbers_of(bundle.stdout, ignored)
    theirs_printed = compare.numbers_of(run.stdout, ignored)
    if len(printed) == len(theirs_printed):
        found["printed"] = _distance(np.array(printed), np.array(theirs_printed))
    return found


def _distance(first: Array, second: Array) -> Array:
    import numpy as np

    with np.errstate(all="ignore"):
        distance = np.abs(first.astype(np.float64) - second.astype(np.float64))
    return np.where(np.isfinite(distance), distance, 0.0)


def runs_of(bundle: Bundle) -> int:
    """How many 1-ulp runs the bundle's envelope is made of."""
    return int(bundle.record.get("envelope", {}).get("runs", 0))


def series_of(bundle: Bundle, key: str) -> Array | None:
    """Largest deviation so far at each occurrence of a scalar, or None if there is no envelope."""
    import numpy as np

    value = bundle.arrays.get(f"{PREFIX}series/{key}")
    return None if value is None else np.maximum.accumulate(value)


def pair_of(bundle: Bundle, key: str) -> tuple[float, float]:
    """Norm and largest element of the deviation of an array; zeros without an envelope."""
    value = bundle.arrays.get(PREFIX + key)
    return (0.0, 0.0) if value is None else (float(value[0]), float(value[1]))
