"""``tf.contrib.layers``: initializers and regularizers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "apply_regularization",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "sum_regularizer",
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

Regularizer = Callable[[Any], Any]


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = tf.float32,
) -> Callable[..., Any]:
    """Values whose spread keeps the scale of a layer's inputs.

    Not uniform, the standard deviation is ``sqrt(1.3 * factor / n)`` of a truncated normal, which
    is a little wider than that of ``tf.variance_scaling_initializer``.

    Args:
      factor: The factor.
      mode: "FAN_IN", "FAN_OUT" or "FAN_AVG": what n counts.
      uniform: Whether to draw uniformly.
      seed: The operation's seed.
      dtype: The default dtype.

    Returns:
      An initializer.

    Raises:
      ValueError: If the dtype is not floating.
      TypeError: If the mode is unknown.
    """
    if not tf.as_dtype(dtype).is_floating:
        raise TypeError(f"This initializer makes floats only. Received: dtype {dtype!r}")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")
    default = dtype

    def initialize(shape: Any, dtype: Any = default, partition_info: Any = None) -> Any:
        if not tf.as_dtype(dtype).is_floating:
            raise TypeError(f"This initializer makes floats only. Received: dtype {dtype!r}")
        sizes = [float(size) for size in shape]
        fan_in = fan_out = 1.0
        if sizes:
            fan_in, fan_out = sizes[-2] if len(sizes) > 1 else sizes[-1], sizes[-1]
        for size in sizes[:-2]:
            fan_in, fan_out = fan_in * size, fan_out * size
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return tf.random_uniform(shape, -limit, limit, dtype, seed=seed)
        stddev = math.sqrt(1.3 * factor / n)
        return tf.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)

    return initialize


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = tf.float32
) -> Callable[..., Any]:
    """Values after Glorot and Bengio (2010): limit ``sqrt(6 / (in + out))`` if uniform.

    Args:
      uniform: Whether to draw uniformly, or from a truncated normal.
      seed: The operation's seed.
      dtype: The default dtype.

    Returns:
      An initializer.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)


xavier_initializer_conv2d = xavier_initializer


def _check_scale(scale: Any, name: str = "scale") -> float:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if not isinstance(scale, numbers.Real):
        return 1.0
    if scale < 0.0:
        raise ValueError(f"Setting a {name} less than 0 on a regularizer: {scale:g}")
    return float(scale)


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """``scale * sum(|weights|)``.

    Args:
      scale: The factor, a float or a scalar tensor; 0.0 for none.
      scope: The name scope.

    Returns:
      A function of the weights.

    Raises:
      ValueError: If the factor is negative or an integer.
    """
    if _check_scale(scale) == 0.0:
        return lambda _: None

    def l1(weights: Any, name: str | None = None) -> Any:
        with tf.name_scope(scope, "l1_regularizer", [weights]) as scoped:
            by = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(by, tf.reduce_sum(tf.abs(weights)), name=scoped)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """``scale * sum(weights ** 2) / 2``: half of what Keras's L2 of the same factor gives.

    Args:
      scale: The factor, a float or a scalar tensor; 0.0 for none.
      scope: The name scope.

    Returns:
      A function of the weights.

    Raises:
      ValueError: If the factor is negative or an integer.
    """
    if _check_scale(scale) == 0.0:
        return lambda _: None

    def l2(weights: Any) -> Any:
        with tf.name_scope(scope, "l2_regularizer", [weights]) as scoped:
            by = tf.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(by, tf.nn.l2_loss(weights), name=scoped)

    return l2


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer:
    """The sum of `l1_regularizer` and `l2_regularizer`.

    Args:
      scale_l1: The factor of the first.
      scale_l2: The factor of the second.
      scope: The name scope.

    Returns:
      A function of the weights.
    """
    _check_scale(scale_l1, "scale_l1")
    _check_scale(scale_l2, "scale_l2")
    scope = scope or "l1_l2_regularizer"
    if isinstance(scale_l1, float) and scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if isinstance(scale_l2, float) and scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Any:
    """The sum of several regularizers; those that are None or give None are left out.

    Args:
      regularizer_list: The regularizers.
      scope: The name scope.

    Returns:
      A function of the weights, or None if there is no regularizer.
    """
    kept = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not kept:
        return None

    def total(weights: Any) -> Any:
        with tf.name_scope(scope, "sum_regularizer", [weights]) as scoped:
            made = [regularizer(weights) for regularizer in kept]
            made = [tensor for tensor in made if tensor is not None]
            return tf.add_n(made, name=scoped) if made else None

    return total


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """The sum of a regularizer over weights, added to REGULARIZATION_LOSSES.

    Args:
      regularizer: From weights to a scalar (or None).
      weights_list: The weights; by default those of the collection WEIGHTS.

    Returns:
      The penalty, a scalar.

    Raises:
      ValueError: If there are no weights, or the regularizer gives no scalar.
    """
    weights = weights_list or tf.get_collection(tf.GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    with tf.name_scope("get_regularization_penalty", values=weights) as scope:
        penalties = [regularizer(w) for w in weights]
        made = [p if p is not None else tf.constant(0.0) for p in penalties]
        for penalty in made:
            if penalty.shape.rank != 0:
                raise ValueError(f"A regularizer must give a scalar. Received: {penalty}")
        total = tf.add_n(made, name=scope)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, total)
        return total
