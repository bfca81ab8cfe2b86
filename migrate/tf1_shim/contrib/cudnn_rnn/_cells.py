"""``tf.contrib.cudnn_rnn``: cells that run what cuDNN's layers trained."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.contrib.rnn._block import LSTMBlockCell
from migrate.tf1_shim.nn._cell import GRUCell, last_size

__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """An LSTM cell that loads checkpoints of `CudnnLSTM`: no forget bias, no clipping."""

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory and of the output.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(
            num_units,
            forget_bias=0,
            cell_clip=None,
            use_peephole=False,
            reuse=reuse,
            name="cudnn_compatible_lstm_cell",
        )


class CudnnCompatibleGRUCell(GRUCell):
    """A GRU cell that loads checkpoints of `CudnnGRU`.

    It resets after the matrix product, and has two biases for the candidate. Variables:
    ``gates/kernel``, ``gates/bias``, ``candidate/input_projection/kernel`` and ``/bias``,
    ``candidate/hidden_projection/kernel`` and ``/bias``.
    """

    def __init__(
        self, num_units: int, reuse: bool | None = None, kernel_initializer: Any = None
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          reuse: Whether to reuse the variables of the scope.
          kernel_initializer: For the kernels; None for the scope's default.
        """
        super().__init__(num_units, None, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        depth, units, start = last_size(input_shape), self._num_units, self._kernel_initializer
        bias = self._bias_initializer
        self._gate_kernel = self.add_weight(
            "gates/kernel", [depth + units, 2 * units], initializer=start
        )
        ones = tf.constant_initializer(1.0) if bias is None else bias
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=ones)
        made: dict[str, Any] = {}
        for what, rows in (("input", depth), ("hidden", units)):
            name = f"candidate/{what}_projection/kernel"
            made[what] = self.add_weight(name, [rows, units], initializer=start)
        for what in ("input", "hidden"):
            name = f"candidate/{what}_projection/bias"
            zeros = ZEROS if bias is None else bias
            made[what + "_bias"] = self.add_weight(name, [units], initializer=zeros)
        self._candidate = made
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        gates = tf.matmul(tf.concat([inputs, state], 1), self._gate_kernel)
        value = tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias))
        r, u = tf.split(value, 2, axis=1)
        made = self._candidate
        candidate = tf.nn.bias_add(tf.matmul(inputs, made["input"]), made["input_bias"])
        candidate += r * tf.nn.bias_add(tf.matmul(state, made["hidden"]), made["hidden_bias"])
        new = (1 - u) * self._activation(candidate) + u * state
        return new, new
