"""Weights in shards, and what the older cells of contrib share."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.layers import layer_norm

__all__ = ["input_size", "norm", "sharded", "unused"]


def sharded(name: str, shape: list[int], dtype: Any, num_shards: int) -> Any:
    """A weight made of ``name_0``, ``name_1`` …, each with a part of the rows.

    Args:
      name: The name before the number.
      shape: The shape of the whole.
      dtype: The dtype.
      num_shards: How many.

    Returns:
      The variable, or the concatenated ones (also in the collection "concatenated_variables").

    Raises:
      ValueError: If there are more shards than rows.
    """
    if num_shards > shape[0]:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={num_shards}")
    rows, more = divmod(shape[0], num_shards)
    parts = [
        tf.get_variable(f"{name}_{i}", [rows + (i < more), *shape[1:]], dtype=dtype)
        for i in range(num_shards)
    ]
    if num_shards == 1:
        return parts[0]
    full = f"{tf.get_variable_scope().name}/{name}/concat:0"
    for value in tf.get_collection(tf.GraphKeys.CONCATENATED_VARIABLES):
        if value.name == full:
            return value
    whole = tf.concat(parts, 0, name=name + "/concat")
    tf.add_to_collection(tf.GraphKeys.CONCATENATED_VARIABLES, whole)
    return whole


def norm(gain: float, shift: float, values: Any, scope: str, dtype: Any = None) -> Any:
    """Layer normalization with ``gamma`` and ``beta`` that start elsewhere than at 1 and 0."""
    shape = values.shape[-1:]
    with tf.variable_scope(scope):
        for name, start in (("gamma", gain), ("beta", shift)):
            tf.get_variable(name, shape, dtype=dtype, initializer=tf.constant_initializer(start))
    return layer_norm(values, reuse=True, scope=scope)


def input_size(inputs: Any) -> int:
    """The size of inputs (batch, size).

    Raises:
      ValueError: If they are not of rank two, or their size is unknown.
    """
    size = inputs.shape.with_rank(2).as_list()[1]
    if size is None:
        raise ValueError("The inputs need a last axis of known size")
    return int(size)


def unused(cell: Any, name: str, value: Any) -> None:
    """Warn of an argument that TF1 takes and does not use either."""
    if value is not None:
        tf.logging.warning("%s: %s has no effect, as in TF1.", type(cell).__name__, name)
