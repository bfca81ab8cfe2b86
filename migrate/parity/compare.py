"""Compare arrays, scalars and printed text; say where they differ in few words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

ROWS = 5
LIKELY_ROUNDING = 1e-3
NUMBER = re.compile(r"(?<![A-Za-z_0-9.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?"
                    r"|nan\b|inf\b|NaN\b|Infinity\b)")  # fmt: skip
COLOUR, BACK = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), re.compile("\x08+")
# What Keras prints while it trains; the numbers are compared as histories.
PROGRESS = re.compile(
    r"^\s*(?:\d+/(?:\d+|Unknown)\s*(?:\[[=>.\-]*\]|[━\u2500 ]*-?\s*\d+m?s)"
    r"|Epoch \d+/\d+$|Train on \d+ (?:samples|steps)|Epoch \d+/\d+\s*\d+/)"
)
PADDING = re.compile(r"(\[) | (\])")
NUMPY_SCALAR = re.compile(r"np\.(?:float|int|uint|bool|str|bytes)\w*\(([^()]*)\)")
TIMING = re.compile(
    r"\b(sec|secs|second|seconds|ms|µs|us|elapsed|took|time|eta|duration|ms/step|s/step"
    r"|(?:steps?|examples?|images?|samples?|it|words?|wps)\s*/\s*s(?:ec)?)\b"
    r"|\d\s*s\b|\b\d{1,2}:\d{2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Difference:
    """Where two values lie too far apart.

    ``rows`` holds (index, before, after) of the worst elements; ``step`` the training step, counted
    from 0, where it applies.
    """

    what: str
    reason: str
    step: int | None = None
    mismatched: int = 0
    total: int = 0
    max_abs: float | None = None
    max_rel: float | None = None
    tolerance: float | None = None
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def headline(self) -> str:
        """One line: what, when, by how much."""
        at = "" if self.step is None else f" at step {self.step}"
        parts = [f"{self.what}{at}: {self.reason}"]
        if self.total:
            parts.append(f"{self.mismatched} of {self.total} beyond tolerance")
        if self.max_abs is not None:
            parts.append(f"max abs {self.max_abs:.3g}")
        if self.max_rel is not None:
            parts.append(f"max rel {self.max_rel:.3g}")
        if self.tolerance is not None:
            parts.append(f"tolerance {self.tolerance:.3g}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Measure:
    """How far two values lie apart, whether or not it is too far."""

    max_abs: float
    max_rel: float


def is_float(array: Array) -> bool:
    """Whether the dtype has a tolerance at all."""
    return bool(array.dtype.kind in "fc")


def measure(before: Array, after: Array) -> Measure:
    """Largest absolute and relative distance over the finite elements."""
    import numpy as np

    if before.shape != after.shape or not before.size or before.dtype.kind not in "fciub":
        return Measure(0.0, 0.0)
    first, second = before.astype(np.float64), after.astype(np.float64)
    with np.errstate(all="ignore"):
        distance = np.abs(first - second)
        relative = distance / np.maximum(np.abs(first), np.abs(second))
    finite = np.isfinite(distance)
    if not finite.any():
        return Measure(0.0, 0.0)
    largest = np.where(np.isfinite(relative), relative, 0.0).max()
    return Measure(float(distance[finite].max()), float(largest))


def arrays(
    what: str,
    before: Array,
    after: Array,
    allowed: Array | float,
    *,
    step: int | None = None,
) -> Difference | None:
    """Compare element by element; ``allowed`` is absolute, a number or an array of that shape.

    NaN and infinities have to stand at the same places on both sides.
    """
    import numpy as np

    if before.shape != after.shape:
        return Difference(
            what, f"shape {list(after.shape)} instead of {list(before.shape)}", step=step
        )
    if before.dtype.kind not in "fciub" or after.dtype.kind not in "fciub":
        wrong = np.asarray(before.astype(str) != after.astype(str))
        if not wrong.any():
            return None
        return _difference(what, "values differ", before, after, wrong, None, step)
    first, second = before.astype(np.float64), after.astype(np.float64)
    unequal = _not_finite(first, second)
    if unequal.any():
        return _difference(what, "NaN or infinity on one side", before, after, unequal, None, step)
    with np.errstate(all="ignore"):
        distance = np.where(first == second, 0.0, np.abs(first - second))
    distance = np.where(np.isfinite(distance), distance, 0.0)
    wrong = distance > allowed
    if not wrong.any():
        return None
    largest = float(np.max(allowed)) if np.size(allowed) else 0.0
    return _difference(what, "values differ", before, after, wrong, largest, step)


def _not_finite(first: Array, second: Array) -> Array:
    import numpy as np

    nan = np.isnan(first) != np.isnan(second)
    infinite = (np.isinf(first) | np.isinf(second)) & ~(first == second)
    return np.asarray(nan | infinite)


def norms(
    what: str,
    before: Array,
    after: Array,
    *,
    norm_allowed: float,
    max_allowed: float,
    step: int | None = None,
) -> Difference | None:
    """Compare two tensors by the norm of their difference and by its largest element."""
    import numpy as np

    if before.shape != after.shape:
        return Difference(
            what, f"shape {list(after.shape)} instead of {list(before.shape)}", step=step
        )
    first, second = before.astype(np.float64), after.astype(np.float64)
    unequal = _not_finite(first, second)
    if unequal.any():
        return _difference(what, "NaN or infinity on one side", before, after, unequal, None, step)
    with np.errstate(all="ignore"):
        distance = np.abs(first - second)
    distance = np.where(np.isfinite(distance), distance, 0.0)
    norm = float(np.linalg.norm(distance))
    if norm <= norm_allowed and (not distance.size or float(distance.max()) <= max_allowed):
        return None
    threshold = min(max_allowed, norm_allowed / max(1.0, float(np.sqrt(distance.size))))
    wrong = distance > threshold
    return _difference(
        what,
        f"norm of the difference {norm:.3g}, allowed {norm_allowed:.3g}",
        before,
        after,
        wrong,
        max_allowed,
        step,
    )


def _difference(
    what: str,
    reason: str,
    before: Array,
    after: Array,
    wrong: Array,
    tolerance: float | None,
    step: int | None,
) -> Difference:
    import numpy as np

    size = measure(before, after)
    numeric = before.dtype.kind in "fciub"
    order = np.flatnonzero(wrong)
    if numeric and order.size:
        with np.errstate(all="ignore"):
            distance = np.abs(before.astype(np.float64) - after.astype(np.float64)).ravel()[order]
        distance = np.where(np.isfinite(distance), distance, np.inf)
        order = order[np.argsort(-distance, kind="stable")]
    rows = []
    for place in order[:ROWS]:
        index = np.unravel_index(int(place), before.shape) if before.shape else ()
        name = "[" + ", ".join(str(int(number)) for number in index) + "]"
        rows.append((name, show(before.flat[int(place)]), show(after.flat[int(place)])))
    return Difference(
        what,
        reason,
        step,
        int(wrong.sum()),
        int(before.size),
        size.max_abs if numeric else None,
        size.max_rel if numeric else None,
        tolerance,
        rows,
    )


def show(value: Any) -> str:
    """A value as a report prints it: enough digits to tell float32 neighbours apart."""
    import numpy as np

    if isinstance(value, (bytes, np.bytes_)):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.9g}"
    return str(value)


# -- printed text --------


@dataclass(frozen=True)
class Line:
    """A printed line cut into its text and its numbers."""

    text: str
    numbers: tuple[str, ...]
    timing: bool


def lines_of(text: str, ignored: Sequence[re.Pattern[str]] = ()) -> list[Line]:
    """The lines of a program's output; blank ones, progress bars and ignored ones are left out."""
    lines = []
    plain = BACK.sub("\n", COLOUR.sub("", text)).replace("\r", "\n")
    for raw in plain.split("\n"):
        line = NUMPY_SCALAR.sub(r"\1", raw).strip()
        if not line or PROGRESS.search(line) or any(pattern.search(line) for pattern in ignored):
            continue
        numbers = tuple(NUMBER.findall(line))
        # NumPy pads the numbers of an array to one width, which a last digit may change.
        words = PADDING.sub(r"\1\2", " ".join(NUMBER.sub("#", line).split()))
        lines.append(Line(words, numbers, bool(TIMING.search(line))))
    return lines


def half_digit(number: str) -> float:
    """Half a unit of the last digit that was printed: what rounding may hide."""
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2]) if "." in mantissa else 0
    if "." not in mantissa and not exponent:
        return 0.0
    return float(0.5 * 10.0 ** (int(exponent or 0) - decimals))


def numbers_of(text: str, ignored: Sequence[re.Pattern[str]] = ()) -> list[float]:
    """Every compared number of an output in order, for the envelope."""
    return [
        float(number)
        for line in lines_of(text, ignored)
        if not line.timing
        for number in line.numbers
    ]


@dataclass(frozen=True)
class TextResult:
    """How two outputs compare; ``timings`` counts lines whose numbers were not compared."""

    difference: Difference | None
    lines: int
    numbers: int
    timings: int
    worst: float


def texts(
    what: str,
    before: str,
    after: str,
    rtol: float,
    envelope: Sequence[float] | None = None,
    ignored: Sequence[re.Pattern[str]] = (),
) -> TextResult:
    """Compare two outputs line by line: words exactly, numbers within ``rtol`` and their rounding.

    Args:
        what: the name for the report.
        before: text of the original.
        after: text of the migrated program.
        rtol: relative tolerance of a number.
        envelope: allowed absolute distance of the i-th number, where more than ``rtol`` gives.
        ignored: lines that match one of these are not compared.
    """
    first, second = lines_of(before, ignored), lines_of(after, ignored)
    place = 0
    count, timings, worst = 0, 0, 0.0
    for number, (one, other) in enumerate(zip_longest(first, second)):
        if one is None or other is None or one.text != other.text:
            rows = [(f"line {number + 1}", line_text(one), line_text(other))]
            reason = "another text" if one and other else "more lines on one side"
            return TextResult(
                Difference(what, reason, mismatched=1, total=max(len(first), len(second)),
                           rows=rows),
                number, count, timings, worst,
            )  # fmt: skip
        if one.timing:
            timings += 1
            continue
        for left, right in zip(one.numbers, other.numbers, strict=True):
            allowed = 0.0 if envelope is None or place >= len(envelope) else envelope[place]
            place += 1
            count += 1
            wrong, distance = _number(left, right, rtol, allowed)
            worst = max(worst, distance)
            if wrong:
                size = abs(float(left) - float(right))
                return TextResult(
                    Difference(
                        what,
                        f"a number in line {number + 1} differs",
                        mismatched=1,
                        total=len(first),
                        max_abs=size,
                        max_rel=distance,
                        tolerance=max(rtol * abs(float(left)), allowed),
                        rows=[(f"line {number + 1}", line_text(one), line_text(other))],
                    ),
                    number,
                    count,
                    timings,
                    worst,
                )
    return TextResult(None, len(first), count, timings, worst)


def _number(left: str, right: str, rtol: float, envelope: float) -> tuple[bool, float]:
    import math

    if left == right:
        return False, 0.0
    first, second = float(left), float(right)
    if not (math.isfinite(first) and math.isfinite(second)):
        same = first == second or (math.isnan(first) and math.isnan(second))
        return not same, math.inf
    distance = abs(first - second)
    size = max(abs(first), abs(second))
    rounding = half_digit(left) + half_digit(right)
    if not rounding:
        rtol = 0.0
    allowed = max(rtol * size, envelope)
    # Values this near print differently with this probability; below it, the last digit is meant.
    if rounding and 2 * allowed / rounding >= LIKELY_ROUNDING:
        allowed += rounding * (1 + 1e-9)
    beyond = max(0.0, distance - rounding)
    return distance > allowed, beyond / size if size else 0.0


def line_text(line: Line | None) -> str:
    """A line with its numbers put back, or a dash where there is none."""
    if line is None:
        return "—"
    numbers = iter(line.numbers)
    return re.sub("#", lambda match: next(numbers, match.group()), line.text)
