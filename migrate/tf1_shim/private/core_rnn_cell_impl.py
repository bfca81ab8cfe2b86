"""``tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl``, the cells' module of TF 1.0 and 1.1.

The cells themselves are in `migrate.tf1_shim.contrib.rnn`. TF 1.15.5 has no such module, so that
what is here follows the documentation of those releases and could not be compared with it.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["_linear"]

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.contrib.rnn.python.ops.core_rnn_cell_impl")


def _linear(
    args: Any, output_size: int, bias: bool, bias_start: float = 0.0, scope: Any = None
) -> Any:
    """``concat(args) @ weights + biases``, with the variables' names of TF 1.0.

    Args:
      args: A tensor (batch, size) or a list of them.
      output_size: The size of the output.
      bias: Whether to add a bias.
      bias_start: What the bias starts at.
      scope: A variable scope, or its name, for the variables; by default the current one.

    Returns:
      (batch, output_size).

    Raises:
      ValueError: If there is no input, one is not of rank two or its size is unknown.
    """
    tensors = list(args) if isinstance(args, (list, tuple)) else [args]
    if not tensors or any(t is None for t in tensors):
        raise ValueError(f"_linear needs a tensor or a list of tensors. Received: {args!r}")
    for tensor in tensors:
        if tensor.shape.rank != 2 or tensor.shape.as_list()[1] is None:
            raise ValueError(
                f"_linear expects inputs (batch, size) with a known size. Received: {tensor}"
            )
    with tf.variable_scope(scope or tf.get_variable_scope()):
        sizes = [tensor.shape.as_list()[1] for tensor in tensors]
        dtype = tensors[0].dtype.base_dtype
        weights = tf.get_variable("weights", [sum(sizes), output_size], dtype=dtype)
        result = tf.matmul(tensors[0] if len(tensors) == 1 else tf.concat(tensors, 1), weights)
        if not bias:
            return result
        start = tf.constant_initializer(bias_start, dtype=dtype)
        return tf.nn.bias_add(
            result, tf.get_variable("biases", [output_size], dtype=dtype, initializer=start)
        )
