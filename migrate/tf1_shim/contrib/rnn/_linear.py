"""The linear map that the cells of contrib and the old decoders share."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["linear"]


def linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """``concat(args) @ kernel + bias``, with the variables in the current scope.

    Args:
      args: A tensor (batch, size) or a list of them.
      output_size: The size of the output.
      bias: Whether to add a bias.
      bias_initializer: For the bias, by default zeros.
      kernel_initializer: For the kernel, by default the scope's.

    Returns:
      (batch, output_size).

    Raises:
      ValueError: If an input is not of rank two or its size unknown.
    """
    tensors = list(args) if isinstance(args, (list, tuple)) else [args]
    sizes = []
    for tensor in tensors:
        if tensor.shape.rank != 2 or tensor.shape.as_list()[1] is None:
            raise ValueError(f"linear expects known shapes of rank 2: {tensor.shape}")
        sizes.append(tensor.shape.as_list()[1])
    dtype = tensors[0].dtype.base_dtype
    kernel = tf.get_variable(
        "kernel", [sum(sizes), output_size], dtype=dtype, initializer=kernel_initializer
    )
    joined = tensors[0] if len(tensors) == 1 else tf.concat(tensors, 1)
    result = tf.matmul(joined, kernel)
    if not bias:
        return result
    start = bias_initializer or tf.constant_initializer(0.0, dtype=dtype)
    return tf.nn.bias_add(
        result, tf.get_variable("bias", [output_size], dtype=dtype, initializer=start)
    )
