"""Strings and numbers that TF1's layers took in place of objects, and static values of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

#: The default initializers of biases and scales.
ZEROS: Any = tf.zeros_initializer()
ONES: Any = tf.ones_initializer()

#: Activations by the names that ``tf.layers`` took from Keras.
ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "elu": tf.nn.elu,
    "exponential": tf.exp,
    "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0),
    "linear": lambda x: x,
    "relu": tf.nn.relu,
    "selu": tf.nn.selu,
    "sigmoid": tf.nn.sigmoid,
    "softmax": tf.nn.softmax,
    "softplus": tf.nn.softplus,
    "softsign": tf.nn.softsign,
    "tanh": tf.nn.tanh,
}

#: Initializers by the names that ``tf.layers`` took from Keras 2, with that Keras's defaults.
INITIALIZERS: dict[str, Callable[[], Any]] = {
    "constant": tf.zeros_initializer,
    "glorot_normal": tf.glorot_normal_initializer,
    "glorot_uniform": tf.glorot_uniform_initializer,
    "he_normal": lambda: tf.variance_scaling_initializer(2.0, "fan_in", "truncated_normal"),
    "he_uniform": lambda: tf.variance_scaling_initializer(2.0, "fan_in", "uniform"),
    "identity": tf.initializers.identity,
    "lecun_normal": lambda: tf.variance_scaling_initializer(1.0, "fan_in", "truncated_normal"),
    "lecun_uniform": lambda: tf.variance_scaling_initializer(1.0, "fan_in", "uniform"),
    "normal": lambda: tf.random_normal_initializer(0.0, 0.05),
    "ones": tf.ones_initializer,
    "orthogonal": tf.orthogonal_initializer,
    "random_normal": lambda: tf.random_normal_initializer(0.0, 0.05),
    "random_uniform": lambda: tf.random_uniform_initializer(-0.05, 0.05),
    "truncated_normal": lambda: tf.truncated_normal_initializer(0.0, 0.05),
    "uniform": lambda: tf.random_uniform_initializer(-0.05, 0.05),
    "variance_scaling": tf.variance_scaling_initializer,
    "zeros": tf.zeros_initializer,
}


def _keras_l1l2(l1: float, l2: float) -> Callable[[Any], Any]:
    """The penalty that the names "l1", "l2" and "l1_l2" stand for."""

    def penalty(weights: Any) -> Any:
        total = tf.constant(0.0, tf.as_dtype(weights.dtype).base_dtype)
        if l1:
            total += tf.reduce_sum(l1 * tf.abs(weights))
        if l2:
            total += tf.reduce_sum(l2 * tf.square(weights))
        return total

    return penalty


REGULARIZERS: dict[str, Callable[[], Any]] = {
    "l1": lambda: _keras_l1l2(0.01, 0.0),
    "l2": lambda: _keras_l1l2(0.0, 0.01),
    "l1_l2": lambda: _keras_l1l2(0.01, 0.01),
}


def _look_up(what: str, table: dict[str, Any], value: Any) -> Any:
    name = value.lower() if value.lower() in table else _snake(value)
    if name not in table:
        raise ValueError(f"Unknown {what}. Received: {value!r}; known: {', '.join(sorted(table))}")
    return table[name]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() and i else c.lower() for i, c in enumerate(name))


def activation(value: Any) -> Any:
    """The function for an activation given as None, a name or a callable.

    Args:
      value: None, one of the names in `ACTIVATIONS`, or a callable, which is returned unchanged.

    Returns:
      None or a callable of one tensor.

    Raises:
      ValueError: If a name is unknown.
      TypeError: If it is neither None, a string nor callable.
    """
    if isinstance(value, str):
        return _look_up("activation", ACTIVATIONS, value)
    if value is None or callable(value):
        return value
    raise TypeError(f"activation must be None, a name or a callable. Received: {value!r}")


def initializer(value: Any) -> Any:
    """The initializer for None, a name, a class or an instance.

    Args:
      value: None (the default of the variable scope applies), one of the names in
        `INITIALIZERS`, or anything that ``tf.get_variable`` takes.

    Returns:
      What to give to ``tf.get_variable``.

    Raises:
      ValueError: If a name is unknown.
    """
    if isinstance(value, str):
        return _look_up("initializer", INITIALIZERS, value)()
    return value


def regularizer(value: Any) -> Any:
    """The regularizer for None, one of the names "l1", "l2", "l1_l2", or a callable.

    Args:
      value: None, a name, or a callable from a weight to a scalar tensor (or None).

    Returns:
      None or the callable.

    Raises:
      ValueError: If a name is unknown.
    """
    if isinstance(value, str):
        return _look_up("regularizer", REGULARIZERS, value)()
    return value


def constant(value: Any) -> bool | None:
    """Whether a switch such as ``training`` is known while the graph is built.

    Args:
      value: A bool, a number, None, a tensor or a variable.

    Returns:
      True or False if known, None for a tensor whose value only a session knows.
    """
    if isinstance(value, tf.Variable):
        return None
    if tf.is_tensor(value):
        known = tf.get_static_value(value)
        return None if known is None else bool(known)
    return bool(value)


def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """Call one of two functions, or build ``tf.cond`` where only a session can tell which.

    Args:
      pred: The switch: see `constant`.
      true_fn: What to build if it holds.
      false_fn: What to build otherwise.

    Returns:
      The chosen function's result, or the tensors of ``tf.cond``.
    """
    known = constant(pred)
    if known is None:
        return tf.cond(tf.cast(pred, tf.bool), true_fn=true_fn, false_fn=false_fn)
    return true_fn() if known else false_fn()
