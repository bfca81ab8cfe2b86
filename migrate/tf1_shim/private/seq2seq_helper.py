"""``tensorflow.contrib.seq2seq.python.ops.helper``: between batches and arrays of steps."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["_transpose_batch_time", "_unstack_ta"]

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.contrib.seq2seq.python.ops.helper")


def _transpose_batch_time(x: Any) -> Any:
    """(batch, time, …) as (time, batch, …), or back; a smaller rank as it is.

    Args:
      x: A tensor.

    Returns:
      The tensor with its first two axes exchanged.
    """
    x = tf.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        return x
    rest = tf.range(2, tf.rank(x)) if x.shape.rank is None else list(range(2, x.shape.rank))
    swapped = tf.transpose(x, tf.concat([[1, 0], rest], axis=0))
    if x.shape.rank is not None:
        sizes = x.shape.as_list()
        swapped.set_shape([sizes[1], sizes[0], *sizes[2:]])
    return swapped


def _unstack_ta(inp: Any) -> Any:
    """A ``tf.TensorArray`` with the steps of a tensor (time, …).

    Args:
      inp: A tensor.

    Returns:
      The array.
    """
    array = tf.TensorArray(dtype=inp.dtype, size=tf.shape(inp)[0], element_shape=inp.shape[1:])
    return array.unstack(inp)
