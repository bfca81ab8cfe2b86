"""``tensorflow.contrib.rnn.python.ops.core_rnn_cell``: the linear map inside of TF1's cells."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.rnn._linear import linear as _linear

__all__ = ["_Linear", "_linear"]

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.contrib.rnn.python.ops.core_rnn_cell")


class _Linear:
    """``concat(args) @ kernel + bias`` with variables that are made once, when it is constructed.

    The variables are called ``kernel`` and ``bias`` in the variable scope of the construction, as
    those of `_linear`.
    """

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        """Create the variables.

        Args:
          args: A tensor (batch, size) or a list of them, of which sizes and dtype are taken.
          output_size: The size of the output.
          build_bias: Whether to add a bias.
          bias_initializer: For the bias, by default zeros.
          kernel_initializer: For the kernel, by default the scope's.

        Raises:
          ValueError: If there is no input, one is not of rank two or its size is unknown.
        """
        tensors = _tensors(args)
        sizes = []
        for tensor in tensors:
            if tensor.shape.rank != 2 or tensor.shape.as_list()[1] is None:
                raise ValueError(
                    f"_Linear expects inputs (batch, size) with a known size. Received: {tensor}"
                )
            sizes.append(tensor.shape.as_list()[1])
        dtype = tensors[0].dtype.base_dtype
        self._kernel = tf.get_variable(
            "kernel", [sum(sizes), output_size], dtype=dtype, initializer=kernel_initializer
        )
        self._bias = None
        if build_bias:
            start = bias_initializer or tf.constant_initializer(0.0, dtype=dtype)
            self._bias = tf.get_variable("bias", [output_size], dtype=dtype, initializer=start)

    def __call__(self, args: Any) -> Any:
        """The linear map of inputs of the sizes that were given to the constructor.

        Args:
          args: A tensor (batch, size) or a list of them.

        Returns:
          (batch, output_size).
        """
        tensors = _tensors(args)
        joined = tensors[0] if len(tensors) == 1 else tf.concat(tensors, 1)
        result = tf.matmul(joined, self._kernel)
        return result if self._bias is None else tf.nn.bias_add(result, self._bias)


def _tensors(args: Any) -> list[Any]:
    tensors = list(args) if isinstance(args, (list, tuple)) else [args]
    if not tensors or any(tensor is None for tensor in tensors):
        raise ValueError(f"_Linear needs a tensor or a list of tensors. Received: {args!r}")
    return tensors
