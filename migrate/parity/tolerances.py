"""How far two runs may lie apart, per rung and dtype.

The numbers are measured floors (``docs/parity.md`` has the table), for float32; other dtypes scale
with their machine epsilon. A tolerance is written into every report and never widened to pass: the
only thing that can raise one is the *envelope*, the distance that the original itself shows on
TensorFlow 1.15 when its initial weights change by one unit in the last place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

ENVELOPE_FACTOR = 3.0
ENVELOPE_RUNS = 5
EPSILON = {
    "float64": 2.220446049250313e-16,
    "complex128": 2.220446049250313e-16,
    "float32": 1.1920928955078125e-07,
    "complex64": 1.1920928955078125e-07,
    "float16": 9.765625e-04,
    "bfloat16": 7.8125e-03,
}


@dataclass(frozen=True)
class Tolerances:
    """Relative tolerances for float32.

    ``start``: an initial value, relative to the largest element of its variable.
    ``forward``: the first loss, or an array relative to its largest element.
    ``gradient``, ``update``: norm of the difference relative to the norm of the gradient or of what
    the steps changed in the variable; single elements may reach ``outlier`` times as much of the
    largest element.
    ``loss``: a loss inside a lock-step window.
    ``free``: anything in a free run, relative to the value; ``printed`` the same for numbers read
    from text, beside half a unit of the last printed digit.
    """

    start: float = 1e-6
    forward: float = 2e-6
    gradient: float = 1e-5
    update: float = 1e-5
    outlier: float = 10.0
    loss: float = 2e-6
    free: float = 1e-5
    printed: float = 1e-5
    envelope_factor: float = ENVELOPE_FACTOR

    def with_rtol(self, rtol: float | None) -> Tolerances:
        """The same with a relative tolerance of the user's for free runs and printed numbers."""
        return self if rtol is None else replace(self, free=rtol, printed=rtol)

    def as_dict(self) -> dict[str, float]:
        """For the report."""
        return asdict(self)


def scale_of(dtype: str) -> float:
    """What a float32 tolerance is multiplied by for ``dtype``; 0 demands equality."""
    epsilon = EPSILON.get(dtype)
    return 0.0 if epsilon is None else epsilon / EPSILON["float32"]


def coarser(first: str, second: str) -> str:
    """The dtype of the two with the larger epsilon: what bounds a comparison across dtypes."""
    return max(first, second, key=lambda dtype: EPSILON.get(dtype, 0.0))


def epsilon_of(dtype: str) -> float:
    """Machine epsilon; 0 for exact dtypes."""
    return EPSILON.get(dtype, 0.0)


def describe(tolerances: Tolerances) -> Mapping[str, str]:
    """One sentence per rung, for people."""
    factor = f"{tolerances.envelope_factor:g} × the 1-ulp envelope"
    return {
        "variables": f"names, shapes, dtypes; start values within {tolerances.start:g} of the "
        "largest element",
        "forward": f"max({tolerances.forward:g} relative, {factor})",
        "gradients": f"norm within max({tolerances.gradient:g} of the gradient, {factor})",
        "one step": f"norm within max({tolerances.update:g} of the update, {factor}) + 1 ulp",
        "lock-step": f"loss max({tolerances.loss:g} relative, {tolerances.update:g} of its change "
        f"in the window, {factor} of the first window); "
        f"weights max({tolerances.update:g} of the update, {factor} of the first window)",
        "free run": f"max({tolerances.free:g} relative, {factor})",
        "end state": f"norm within max({tolerances.free:g} of the update, {factor}) + 1 ulp a step",
        "outputs": f"max({tolerances.printed:g} relative, {factor}) + half a printed digit",
        "checkpoints": "every tensor equal, bit for bit",
    }
