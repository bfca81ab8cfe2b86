"""``tf.contrib.framework``: small helpers for tensors, scopes and deprecation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values

__all__ = [
    "argsort",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_scalar_int",
    "convert_to_tensor_or_sparse_tensor",
    "deprecated",
    "deprecated_arg_values",
    "deprecated_args",
    "get_name_scope",
    "get_placeholders",
    "is_tensor",
    "reduce_sum_n",
    "remove_squeezable_dimensions",
    "smart_cond",
    "smart_constant_value",
    "sort",
    "with_same_shape",
    "with_shape",
]

argsort = tf.argsort
sort = tf.sort
is_tensor = tf.is_tensor


def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    """One of two functions' results, or ``tf.cond`` if only a session can tell which.

    Args:
      pred: A bool or a bool tensor.
      true_fn: What to build if it holds.
      false_fn: What to build otherwise.
      name: The name scope of the ``tf.cond``.

    Returns:
      What the chosen function returns.

    Raises:
      TypeError: If a function is not callable.
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("`true_fn` and `false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return tf.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_constant_value(pred: Any) -> Any:
    """The value of a switch if it is known while the graph is built, else None.

    Raises:
      TypeError: If it is neither a bool, 0, 1 nor a tensor.
    """
    if not tf.is_tensor(pred) and not isinstance(pred, (bool, int, tf.Variable)):
        raise TypeError(f"pred must be a boolean tensor, a bool, 0 or 1. Received: {pred!r}")
    if tf.is_tensor(pred) and not isinstance(pred, tf.Variable):
        return tf.get_static_value(pred)
    return _values.constant(pred)


def get_name_scope() -> str:
    """The current name scope, without the final slash."""
    return str(tf.get_default_graph().get_name_scope())


def get_placeholders(graph: Any) -> list[Any]:
    """The outputs of a graph's placeholders."""
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def reduce_sum_n(tensors: Any, name: str | None = None) -> Any:
    """The sum of all entries of all tensors, a scalar.

    Raises:
      ValueError: If there are no tensors.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with tf.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [tf.reduce_sum(t) if t.shape.rank != 0 else t for t in tensors]
        return tf.add_n(sums, name=scope) if len(sums) > 1 else sums[0]


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: Any = None) -> Any:
    """Drop the last axis of size one of the one that has an axis more than the other.

    Returns:
      The predictions and the labels.
    """
    with tf.name_scope(name, "remove_squeezable_dimensions", [predictions, labels]):
        predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
        ranks = predictions.shape.rank, labels.shape.rank
        if None not in ranks:
            if ranks[0] - ranks[1] == 1:
                predictions = tf.squeeze(predictions, [-1])
            elif ranks[1] - ranks[0] == 1:
                labels = tf.squeeze(labels, [-1])
            return predictions, labels
        gap = tf.rank(predictions) - tf.rank(labels)
        wide, tall = predictions, labels
        predictions = tf.cond(tf.equal(gap, 1), lambda: tf.squeeze(wide, [-1]), lambda: wide)
        labels = tf.cond(tf.equal(gap, -1), lambda: tf.squeeze(tall, [-1]), lambda: tall)
        return predictions, labels


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> Any:
    """The one floating dtype of all tensors: see ``tf.debugging.assert_same_float_dtype``."""
    return tf.debugging.assert_same_float_dtype(tensors, dtype)


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Any:
    """The tensor, once it is known to be a scalar.

    Raises:
      ValueError: If it is none.
    """
    return tf.debugging.assert_scalar(tensor, name=name, message=message)


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """The tensor, once it is known to be an integer scalar.

    Raises:
      ValueError: If it is none.
    """
    tensor = tf.convert_to_tensor(tensor, name=name)
    if not tensor.dtype.base_dtype.is_integer:
        raise ValueError(f"Expected integer type for {tensor.name}, received {tensor.dtype}.")
    return assert_scalar(tensor, name)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor, or the sparse tensor that was given."""
    return tf.convert_to_tensor_or_sparse_tensor(value, dtype=dtype, name=name)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """The tensor, with a check of its shape: at once where it is known, else in the session.

    Args:
      expected_shape: A list, a ``TensorShape`` or a tensor.
      tensor: The tensor.

    Returns:
      The tensor.

    Raises:
      ValueError: If the known shape differs.
    """
    tensor = tf.convert_to_tensor(tensor)
    if not tf.is_tensor(expected_shape):
        static = tf.TensorShape(expected_shape)
        if tensor.shape.is_fully_defined() or not static.is_fully_defined():
            if not tensor.shape.is_compatible_with(static):
                raise ValueError(
                    f"Wrong shape for {tensor.name}, expected {static}, got {tensor.shape}."
                )
            return tensor
        expected_shape = tf.constant(static.as_list())
    with tf.control_dependencies([tf.assert_equal(tf.shape(tensor), expected_shape)]):
        checked = tf.identity(tensor)
    known = tf.get_static_value(expected_shape)
    if known is not None:
        checked.set_shape([int(size) for size in known])
    return checked


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """The tensor, with a check that its shape is that of another."""
    known = expected_tensor.shape
    return with_shape(known if known.is_fully_defined() else tf.shape(expected_tensor), tensor)


def deprecated(
    date: str | None, instructions: str, warn_once: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function so that its use is warned of.

    Args:
      date: When it will be removed, or None.
      instructions: What to use instead.
      warn_once: Whether to say it once only.

    Returns:
      The decorator.
    """

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        told: list[bool] = []

        @functools.wraps(func)
        def warned(*args: Any, **kwargs: Any) -> Any:
            if not told or not warn_once:
                told.append(True)
                when = "in a future version" if date is None else f"after {date}"
                tf.logging.warning(
                    "%s is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                    getattr(func, "__name__", func),
                    when,
                    instructions,
                )
            return func(*args, **kwargs)

        return warned

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same for arguments: the warning comes when one is given.

    Args:
      date: When they will be removed, or None.
      instructions: What to use instead.
      *deprecated_arg_names_or_tuples: Names, or tuples of a name and values that are fine.
      **kwargs: ``warn_once``.

    Returns:
      The decorator.
    """
    once = kwargs.get("warn_once", True)
    fine = {n[0] if isinstance(n, tuple) else n: n[1:] for n in deprecated_arg_names_or_tuples}

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        warned = deprecated(date, instructions, once)(func)

        @functools.wraps(func)
        def checked(*args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(func).bind(*args, **kwargs).arguments
            given = any(
                name in bound and bound[name] not in values for name, values in fine.items()
            )
            return (warned if given else func)(*args, **kwargs)

        return checked

    return decorate


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The same for values of arguments: the warning comes when one is given."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        warned = deprecated(date, instructions, warn_once)(func)

        @functools.wraps(func)
        def checked(*args: Any, **kwargs: Any) -> Any:
            given = any(n in kwargs and kwargs[n] == v for n, v in deprecated_kwargs.items())
            return (warned if given else func)(*args, **kwargs)

        return checked

    return decorate
