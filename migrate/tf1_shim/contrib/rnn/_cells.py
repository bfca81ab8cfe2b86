"""``tf.contrib.rnn``: further cells."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import activation as function
from migrate.tf1_shim.contrib.layers import layer_norm
from migrate.tf1_shim.contrib.rnn._linear import linear
from migrate.tf1_shim.layers import InputSpec
from migrate.tf1_shim.nn._cell import LayerRNNCell, RNNCell, last_size
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = [
    "IndRNNCell",
    "LayerNormBasicLSTMCell",
    "UGRNNCell",
]


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM whose gates and memory are layer-normalized, with recurrent dropout.

    Variables: ``kernel``, and ``gamma`` and ``beta`` below ``input``, ``transform``, ``forget``,
    ``output`` and ``state`` (``bias`` instead of them without layer normalization).
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          forget_bias: Added to the forget gate when the cell runs.
          input_size: Deprecated in TF1; anything but None is warned of and not used.
          activation: The activation.
          layer_norm: Whether to normalize.
          norm_gain: Where gamma starts.
          norm_shift: Where beta starts.
          dropout_keep_prob: The share of the candidate memory to keep; also a tensor.
          dropout_prob_seed: The seed of that.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(_reuse=reuse)
        if input_size is not None:
            tf.logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_units = num_units
        self._activation = function(activation)
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, units)``."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def _norm(self, values: Any, scope: str) -> Any:
        shape, dtype = values.shape[-1:], values.dtype
        with tf.variable_scope(scope):
            for name, start in (("gamma", self._norm_gain), ("beta", self._norm_shift)):
                tf.get_variable(
                    name, shape, dtype=dtype, initializer=tf.constant_initializer(start)
                )
        return layer_norm(values, reuse=True, scope=scope)

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        c, h = state
        joined = tf.concat([inputs, h], 1)
        columns = 4 * self._num_units
        kernel = tf.get_variable(
            "kernel", [joined.shape.as_list()[-1], columns], dtype=joined.dtype
        )
        gates = tf.matmul(joined, kernel)
        if not self._layer_norm:
            gates = tf.nn.bias_add(gates, tf.get_variable("bias", [columns], dtype=joined.dtype))
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        if self._layer_norm:
            i, j = self._norm(i, "input"), self._norm(j, "transform")
            f, o = self._norm(f, "forget"), self._norm(o, "output")
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = tf.nn.dropout(g, rate=1 - self._keep_prob, seed=self._seed)
        new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, "state")
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class UGRNNCell(RNNCell):
    """The update-gate cell (arXiv:1611.09913): ``g * state + (1 - g) * candidate``."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = tf.tanh,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          initializer: For the kernel; None for the scope's default.
          forget_bias: Added to the gate when the cell runs.
          activation: The activation.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = function(activation)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            gates = linear(tf.concat([inputs, state], 1), 2 * self._num_units, True)
        g, c = tf.split(axis=1, num_or_size_splits=2, value=gates)
        g = tf.sigmoid(g + self._forget_bias)
        new = g * state + (1.0 - g) * self._activation(c)
        return new, new


class IndRNNCell(LayerRNNCell):
    """The cell whose units see only their own past (arXiv:1803.04831).

    Variables: ``kernel_w`` (input, units), ``kernel_u`` (1, units) and ``bias``.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          activation: The activation; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name; by default "ind_rnn_cell".
          dtype: The variables' dtype; by default that of the first input.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = function(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        units, spread = self._num_units, tf.random_uniform_initializer(minval=-1, maxval=1)
        self._kernel_w = self.add_weight("kernel_w", [last_size(input_shape), units])
        self._kernel_u = self.add_weight("kernel_u", [1, units], initializer=spread)
        self._bias = self.add_weight("bias", [units], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        gates = tf.matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(tf.nn.bias_add(gates, self._bias))
        return output, output
