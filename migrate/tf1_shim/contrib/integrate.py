"""``tf.contrib.integrate``: ordinary differential equations by Runge and Kutta."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["odeint", "odeint_fixed"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.integrate")

# Dormand and Prince (1980), J. Comp. Appl. Math. 6: nodes, stages, and the weights of the error.
_ALPHA = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_BETA: tuple[tuple[float, ...], ...] = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (
    1951 / 21600 - 35 / 384,
    0,
    22642 / 50085 - 500 / 1113,
    451 / 720 - 125 / 192,
    -12231 / 42400 + 2187 / 6784,
    649 / 6300 - 11 / 84,
    1 / 60,
)
# Shampine (1986), Math. Comp. 46: the middle of a step.
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)


def _weighted(scale: Any, weights: Sequence[float], values: Sequence[Any]) -> Any:
    pairs = zip(weights, values, strict=True)
    return tf.add_n([scale * weight * value for weight, value in pairs if weight])


class _Step(NamedTuple):
    """Where the integration is: after the last step, and the polynomial that fits it."""

    y: Any
    f: Any
    t0: Any
    t1: Any
    dt: Any
    fit: Any


def _fit(y0: Any, y1: Any, stages: Sequence[Any], dt: Any) -> list[Any]:
    """The polynomial of degree four through both ends and the middle, with both slopes."""
    dt = tf.cast(dt, y0.dtype)
    middle = y0 + _weighted(dt, _MIDDLE, stages)
    known = (stages[0], stages[-1], y0, y1, middle)

    def of(*weights: Any) -> Any:
        return tf.add_n([w * value for w, value in zip(weights, known, strict=True)])

    return [
        of(-2 * dt, 2 * dt, -8, -8, 16),
        of(5 * dt, -3 * dt, 18, 14, -32),
        of(-4 * dt, dt, -11, -5, 16),
        dt * stages[0],
        y0,
    ]


def _evaluated(step: _Step, t: Any) -> Any:
    inside = tf.Assert((step.t0 <= t) & (t <= step.t1), ["outside of the step: ", step.t0, t])
    with tf.control_dependencies([inside]):
        x = tf.cast((t - step.t0) / (step.t1 - step.t0), step.fit[0].dtype)
    powers = [tf.constant(1, x.dtype), x]
    while len(powers) < len(step.fit):
        powers.append(powers[-1] * x)
    return tf.add_n([c * p for c, p in zip(step.fit, reversed(powers), strict=True)])


def _increasing(t: Any) -> Any:
    return tf.Assert(tf.reduce_all(t[1:] > t[:-1]), ["`t` must be monotonic increasing"])


def _check_dtypes(y0: Any, t: Any, dt: Any = None) -> None:
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError(f"y0 must be of floats or complex numbers. Received: {y0.dtype}")
    for name, value in (("t", t), ("dt", dt)):
        if value is not None and not value.dtype.is_floating:
            raise TypeError(f"`{name}` must have a floating point dtype. Received: {value.dtype}")


def odeint(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: float = 1e-6,
    atol: float = 1e-12,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Integrate ``dy/dt = func(y, t)`` by Dormand's and Prince's method with adaptive steps.

    Args:
      func: From the value and the time to the slope.
      y0: The value at the first time, of any shape.
      t: Increasing times.
      rtol: The relative tolerance.
      atol: The absolute tolerance.
      method: None or "dopri5".
      options: With a method: "first_step", "safety", "ifactor", "dfactor", "max_num_steps".
      full_output: Whether to return how it went as well.
      name: The name scope.

    Returns:
      The values (times, …), and with ``full_output`` a dictionary with "num_func_evals",
      "integrate_points" and "error_ratio".

    Raises:
      TypeError: If value or times are no floats, or an option is unknown.
      ValueError: If there is no such method, or options come without one.
    """
    if method is not None and method != "dopri5":
        raise ValueError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise ValueError(f"cannot supply `options` without specifying `method`: {options}")
    with tf.name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        y0 = tf.convert_to_tensor(y0, name="y0")
        t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
        _check_dtypes(y0, t)
        kind = tf.abs(y0).dtype
        rtol = tf.convert_to_tensor(rtol, dtype=kind, name="rtol")
        atol = tf.convert_to_tensor(atol, dtype=kind, name="atol")
        return _adaptive(func, y0, t, rtol, atol, full_output, scope, **(options or {}))


def _adaptive(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: Any,
    atol: Any,
    full_output: bool,
    scope: str,
    first_step: Any = None,
    safety: float = 0.9,
    ifactor: float = 10.0,
    dfactor: float = 0.2,
    max_num_steps: int = 1000,
) -> Any:
    first = tf.convert_to_tensor(1.0 if first_step is None else first_step, t.dtype)
    safety, ifactor, dfactor = (
        tf.convert_to_tensor(value, t.dtype) for value in (safety, ifactor, dfactor)
    )

    def advance(step: _Step, points: Any, ratios: Any, count: Any) -> Any:
        y, f, _, t0, dt, fit = step
        finite = tf.reduce_all(tf.is_finite(tf.abs(y)))
        checks = [
            tf.Assert(t0 + dt > t0, ["underflow in dt", dt]),
            tf.Assert(count < max_num_steps, ["max_num_steps exceeded"]),
            tf.Assert(finite, ["non-finite values in state `y`", y]),
        ]
        with tf.control_dependencies(checks):
            y = tf.identity(y)
        size, stages, new = tf.cast(dt, y.dtype), [f], y
        for node, weights in zip(_ALPHA, _BETA, strict=True):
            new = y + _weighted(size, weights, stages)
            stages.append(func(new, t0 + node * dt))
        error = _weighted(size, _ERROR, stages)
        allowed = atol + rtol * tf.maximum(tf.abs(y), tf.abs(new))
        ratio = tf.sqrt(tf.reduce_mean(tf.square(tf.abs(error)) / tf.square(allowed)))
        good = ratio <= 1

        def choose(taken: Any, left: Any) -> Any:
            return tf.cond(good, lambda: tf.identity(taken), lambda: tf.identity(left))

        fitted = tf.cond(
            good,
            lambda: _fit(y, new, stages, dt),
            lambda: [tf.identity(part) for part in fit],
        )
        power = tf.cast(ratio, dt.dtype) ** tf.cast(1 / 5, dt.dtype)
        factor = tf.maximum(1 / ifactor, tf.minimum(power / safety, 1 / dfactor))
        following = _Step(
            choose(new, y), choose(stages[-1], f), t0, choose(t0 + dt, t0), dt / factor, fitted
        )
        points = points.write(points.size(), t0 + dt)
        return following, points, ratios.write(ratios.size(), ratio), count + 1

    def reach(i: Any, values: Any, step: _Step, points: Any, ratios: Any) -> Any:
        step, points, ratios, _ = tf.while_loop(
            lambda step, *_: t[i] > step.t1, advance, (step, points, ratios, 0)
        )
        return i + 1, values.write(i, _evaluated(step, t[i])), step, points, ratios

    with tf.control_dependencies([_increasing(t)]):
        times = tf.size(t)
    step = _Step(y0, func(y0, t[0]), t[0], t[0], first, [y0] * 5)
    _, values, _, points, ratios = tf.while_loop(
        lambda i, *_: i < times,
        reach,
        (
            1,
            tf.TensorArray(y0.dtype, size=times).write(0, y0),
            step,
            tf.TensorArray(t.dtype, size=0, dynamic_size=True),
            tf.TensorArray(rtol.dtype, size=0, dynamic_size=True),
        ),
    )
    y = values.stack(name=scope)
    y.set_shape(t.shape.concatenate(y0.shape))
    if not full_output:
        return y
    points = points.stack()
    return y, {
        "num_func_evals": 6 * tf.size(points) + 1,
        "integrate_points": points,
        "error_ratio": ratios.stack(),
    }


def _midpoint(func: Callable[[Any, Any], Any], t: Any, dt: Any, y: Any) -> Any:
    size = tf.cast(dt, y.dtype)
    return size * func(y + func(y, t) * size / 2, t + dt / 2)


def _rk4(func: Callable[[Any, Any], Any], t: Any, dt: Any, y: Any) -> Any:
    size, half = tf.cast(dt, y.dtype), t + dt / 2
    k1 = func(y, t)
    k2 = func(y + size * k1 / 2, half)
    k3 = func(y + size * k2 / 2, half)
    k4 = func(y + size * k3, t + dt)
    return tf.add_n([k1, 2 * k2, 2 * k3, k4]) * (size / 6)


def odeint_fixed(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    dt: Any = None,
    method: str = "rk4",
    name: str | None = None,
) -> Any:
    """Integrate ``dy/dt = func(y, t)`` with fixed steps.

    Args:
      func: From the value and the time to the slope.
      y0: The value at the first time, of any shape.
      t: Increasing times.
      dt: The steps between them, one number for each interval; by default the intervals. A step
        that does not fit is made a little smaller.
      method: "rk4" or "midpoint".
      name: The name scope.

    Returns:
      The values (times, …).

    Raises:
      TypeError: If value, times or steps are no floats.
      ValueError: If there is no such method, or the steps are not one less than the times.
    """
    methods = {"midpoint": _midpoint, "rk4": _rk4}
    if method not in methods:
        raise ValueError(f"method not supported: {method!s}")
    with tf.name_scope(name, "odeint_fixed", [y0, t, dt]):
        t = tf.convert_to_tensor(t, preferred_dtype=tf.float64, name="t")
        y0 = tf.convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        steps = intervals if dt is None else dt
        steps = tf.convert_to_tensor(steps, preferred_dtype=tf.float64, name="dt")
        counts = tf.ceil(intervals / steps)
        sizes = intervals / counts
        counts = tf.cast(counts, tf.int32)
        _check_dtypes(y0, t, sizes)
        if t.shape.rank != 1 or sizes.shape.rank != 1 or t.shape[0] != sizes.shape[0] + 1:
            raise ValueError(
                "dt has one entry for each interval of t, one less than t. "
                f"Received: {t.shape}, {steps.shape}"
            )
        with tf.control_dependencies([_increasing(t)]):
            times = tf.size(t)

        def interval(i: Any, values: Any, y: Any, now: Any) -> Any:
            size = sizes[i - 1]
            _, y, now = tf.while_loop(
                lambda j, *_: j < counts[i - 1],
                lambda j, y, now: (
                    j + 1,
                    y + tf.cast(methods[method](func, now, size, y), y.dtype),
                    now + size,
                ),
                (0, y, now),
            )
            return i + 1, values.write(i, y), y, now

        array = tf.TensorArray(y0.dtype, size=times).write(0, y0)
        _, values, _, _ = tf.while_loop(lambda i, *_: i < times, interval, (1, array, y0, t[0]))
        y = values.stack()
        y.set_shape(t.shape.concatenate(y0.shape))
        return y
