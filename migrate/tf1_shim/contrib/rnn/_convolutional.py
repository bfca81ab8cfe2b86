"""``tf.contrib.rnn``: convolutional LSTMs."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn._shards import unused
from migrate.tf1_shim.nn._cell import RNNCell
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = ["Conv1DLSTMCell", "Conv2DLSTMCell", "Conv3DLSTMCell", "ConvLSTMCell"]


class ConvLSTMCell(RNNCell):
    """An LSTM whose inputs and states are images (arXiv:1506.04214, without peepholes).

    Variables: ``kernel`` (sides …, input + output channels, 4 * output channels) and ``biases``.
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Any,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        """Make the cell.

        Args:
          conv_ndims: 1, 2 or 3: the number of the images' axes.
          input_shape: The shape of the inputs without the batch: the axes and the channels.
          output_channels: The number of channels of the memory.
          kernel_shape: The kernel's sides.
          use_bias: Whether there is a bias.
          skip_connection: Whether the output has the input's channels behind its own.
          forget_bias: Added to the forget gate when the cell runs.
          initializers: Of no effect in TF1 either: the scope's is used. A warning says so.
          name: The scope's name.

        Raises:
          ValueError: If the shape does not have ``conv_ndims`` axes and the channels.
        """
        super().__init__(name=name)
        unused(self, "initializers", initializers)
        shape = list(input_shape)
        if conv_ndims != len(shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims = conv_ndims
        self._input_shape = shape
        self._output_channels = output_channels
        self._kernel_shape = list(kernel_shape)
        self._use_bias = use_bias
        self._forget_bias = forget_bias
        self._skip_connection = skip_connection

    @property
    def output_size(self) -> Any:
        """The shape of the output without the batch."""
        more = self._input_shape[-1] if self._skip_connection else 0
        return tf.TensorShape([*self._input_shape[:-1], self._output_channels + more])

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple`` of the shapes of memory and output without the batch."""
        shape = tf.TensorShape([*self._input_shape[:-1], self._output_channels])
        return LSTMStateTuple(shape, shape)

    def _convolve(self, joined: Any) -> Any:
        features, rank = 4 * self._output_channels, self._conv_ndims + 2
        channels = joined.shape.as_list()[-1]
        kernel = tf.get_variable(
            "kernel", [*self._kernel_shape, channels, features], dtype=joined.dtype
        )
        if self._conv_ndims == 1:
            gates = tf.nn.conv1d(joined, kernel, 1, padding="SAME")
        else:
            function = tf.nn.conv2d if self._conv_ndims == 2 else tf.nn.conv3d
            gates = function(joined, kernel, [1] * rank, padding="SAME")
        if not self._use_bias:
            return gates
        start = tf.constant_initializer(0.0, dtype=joined.dtype)
        return gates + tf.get_variable("biases", [features], dtype=joined.dtype, initializer=start)

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        c, h = state
        axis = self._conv_ndims + 1
        gates = self._convolve(tf.concat([inputs, h], axis))
        i, j, f, o = tf.split(gates, 4, axis=axis)
        new_c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
        output = tf.tanh(new_c) * tf.sigmoid(o)
        if self._skip_connection:
            output = tf.concat([output, inputs], -1)
        return output, LSTMStateTuple(new_c, output)


class Conv1DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for (batch, width, channels)."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        """Make the cell: see `ConvLSTMCell`."""
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for (batch, height, width, channels)."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        """Make the cell: see `ConvLSTMCell`."""
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """A `ConvLSTMCell` for (batch, depth, height, width, channels)."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        """Make the cell: see `ConvLSTMCell`."""
        super().__init__(conv_ndims=3, name=name, **kwargs)
