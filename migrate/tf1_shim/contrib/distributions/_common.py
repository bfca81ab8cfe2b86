"""What the distributions share: parameters, checks and shapes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

Distribution: Any = tf.distributions.Distribution
REPARAMETERIZED = tf.distributions.FULLY_REPARAMETERIZED
NOT_REPARAMETERIZED = tf.distributions.NOT_REPARAMETERIZED


def checked(value: Any, checks: Sequence[Any]) -> Any:
    """A tensor that is only there once the checks have passed."""
    if not checks:
        return value
    with tf.control_dependencies(list(checks)):
        return tf.identity(value)


def parameter(value: Any, name: str, positive: bool = False, dtype: Any = None) -> Any:
    """A parameter as a tensor of its own, optionally asserted to be positive."""
    value = tf.convert_to_tensor(value, name=name, dtype=dtype)
    return tf.identity(checked(value, [tf.assert_positive(value)] if positive else []), name=name)


def parameters(*pairs: tuple[str, Any, bool]) -> list[Any]:
    """Parameters of one float type: (name, value, whether it must be positive).

    The type is that of the first one that is a tensor or an array of floats, else float32, so that
    Python numbers follow the tensors beside them.
    """
    dtype = tf.float32
    for _, value, _ in pairs:
        if hasattr(value, "dtype"):
            dtype = tf.as_dtype(value.dtype).base_dtype
            break
    return [parameter(value, name, positive, dtype) for name, value, positive in pairs]


def whole(value: Any, validate_args: bool) -> Any:
    """Counts, asserted to be whole and not negative if asked for."""
    value = tf.convert_to_tensor(value)
    if not validate_args:
        return value
    checks = [
        tf.assert_non_negative(value, message="must not be negative"),
        tf.assert_equal(value, tf.floor(value), message="must be whole"),
    ]
    return checked(value, checks)


def logits_and_probs(
    logits: Any, probs: Any, validate_args: bool = False, several: bool = False
) -> tuple[Any, Any]:
    """Log-odds (or log-probabilities of several classes) and probabilities, each from the other.

    Raises:
      ValueError: If not exactly one of them is given.
      TypeError: If they are not floats.
    """
    if (probs is None) == (logits is None):
        raise ValueError("Pass either logits or probs, not both and not none")
    given = tf.convert_to_tensor(
        logits if probs is None else probs, name="logits" if probs is None else "probs"
    )
    if not given.dtype.is_floating:
        raise TypeError(f"logits and probs must be floats. Received: {given.dtype!r}")
    if probs is None:
        return given, tf.nn.softmax(given) if several else tf.sigmoid(given)
    if validate_args:
        one = tf.ones([], given.dtype)
        checks = [tf.assert_non_negative(given)]
        if several:
            total = tf.abs(tf.reduce_sum(given, -1) - one)
            near = tf.constant(10 * np.finfo(given.dtype.as_numpy_dtype).eps, given.dtype)
            checks.append(tf.assert_less_equal(total, near, message="probs must sum to 1"))
        else:
            checks.append(tf.assert_less_equal(given, one, message="probs must not exceed 1"))
        given = checked(given, checks)
    if several:
        return tf.log(given), given
    return tf.log(given) - tf.log1p(-given), given


def new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed for a second draw; None stays None."""
    if seed is None:
        return None
    digest = hashlib.md5((str(seed) + salt).encode("utf-8")).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


class Scalar(Distribution):
    """A distribution of numbers whose batch shape is that of its parameters, broadcast."""

    #: The names of the attributes that hold the parameters.
    _batch_parameters: tuple[str, ...] = ()

    def _tensors(self) -> list[Any]:
        return [getattr(self, name) for name in self._batch_parameters]

    def _batch_shape_tensor(self) -> Any:
        shape, *rest = (tf.shape(tensor) for tensor in self._tensors())
        for other in rest:
            shape = tf.broadcast_dynamic_shape(shape, other)
        return shape

    def _batch_shape(self) -> Any:
        shape, *rest = (tensor.shape for tensor in self._tensors())
        for other in rest:
            shape = tf.broadcast_static_shape(shape, other)
        return shape

    def _event_shape_tensor(self) -> Any:
        return tf.constant([], tf.int32)

    def _event_shape(self) -> Any:
        return tf.TensorShape([])

    def _nan_unless(self, condition: Any, value: Any, what: str) -> Any:
        """The value where a condition holds; elsewhere NaN, or an error without them."""
        if self.allow_nan_stats:
            nan = tf.fill(
                self.batch_shape_tensor(), tf.constant(float("nan"), self.dtype), name="nan"
            )
            condition = tf.logical_and(condition, tf.ones_like(nan, tf.bool))
            return tf.where(condition, value + tf.zeros_like(nan), nan)
        return checked(value, [tf.Assert(tf.reduce_all(condition), [f"{what} is undefined"])])
