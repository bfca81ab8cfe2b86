"""``tf.contrib.rnn``: cells whose units see only their own past, and simple recurrent units."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim._values import activation as function
from migrate.tf1_shim.layers import InputSpec
from migrate.tf1_shim.nn._cell import LayerRNNCell, last_size
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = ["IndyGRUCell", "IndyLSTMCell", "SRUCell"]


class _Units(LayerRNNCell):
    """What the three share."""

    def __init__(
        self, num_units: int, activation: Any, reuse: Any, name: Any, dtype: Any, **kwargs: Any
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
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

    def _own(self, name: str, times: int) -> Any:
        spread = tf.random_uniform_initializer(minval=-1, maxval=1)
        return self.add_weight(name, [1, times * self._num_units], initializer=spread)


class IndyGRUCell(_Units):
    """A `GRUCell` whose recurrent matrices are diagonal (after arXiv:1803.04831).

    Variables: ``gates/kernel_w``, ``gates/kernel_u``, ``gates/bias``, ``candidate/kernel``,
    ``candidate/kernel_u``, ``candidate/bias``.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          activation: The activation; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          kernel_initializer: For the kernels that the inputs meet; None for the scope's default.
          bias_initializer: For both biases; by default 1 for the gates, 0 for the candidate.
          name: The scope's name; by default "indy_gru_cell".
          dtype: The variables' dtype; by default that of the first input.
        """
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        depth, units, start = last_size(input_shape), self._num_units, self._kernel_initializer
        bias = self._bias_initializer
        self._gate_w = self.add_weight("gates/kernel_w", [depth, 2 * units], initializer=start)
        self._gate_u = self._own("gates/kernel_u", 2)
        ones = tf.constant_initializer(1.0) if bias is None else bias
        self._gate_bias = self.add_weight("gates/bias", [2 * units], initializer=ones)
        self._candidate_w = self.add_weight("candidate/kernel", [depth, units], initializer=start)
        self._candidate_u = self._own("candidate/kernel_u", 1)
        zeros = ZEROS if bias is None else bias
        self._candidate_bias = self.add_weight("candidate/bias", [units], initializer=zeros)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        gates = tf.matmul(inputs, self._gate_w) + tf.tile(state, [1, 2]) * self._gate_u
        value = tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias))
        r, u = tf.split(value, 2, axis=1)
        candidate = tf.matmul(inputs, self._candidate_w) + r * state * self._candidate_u
        c = self._activation(tf.nn.bias_add(candidate, self._candidate_bias))
        new = u * state + (1 - u) * c
        return new, new


class IndyLSTMCell(_Units):
    """A `BasicLSTMCell` whose recurrent matrices are diagonal (arXiv:1903.08023).

    Variables: ``kernel_w`` (input, 4 * units), ``kernel_u`` (1, 4 * units) and ``bias``.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory and of the output.
          forget_bias: Added to the forget gate when the cell runs.
          activation: The activation; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          kernel_initializer: For the kernel that the inputs meet; None for the scope's default.
          bias_initializer: For the bias; by default zeros.
          name: The scope's name; by default "indy_lstm_cell".
          dtype: The variables' dtype; by default that of the first input.
        """
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, units)``."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        size = [last_size(input_shape), 4 * self._num_units]
        self._kernel_w = self.add_weight("kernel_w", size, initializer=self._kernel_initializer)
        self._kernel_u = self._own("kernel_u", 4)
        start = ZEROS if self._bias_initializer is None else self._bias_initializer
        self._bias = self.add_weight("bias", size[1:], initializer=start)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        c, h = state
        gates = tf.matmul(inputs, self._kernel_w) + tf.tile(h, [1, 4]) * self._kernel_u
        i, j, f, o = tf.split(tf.nn.bias_add(gates, self._bias), 4, axis=1)
        new_c = c * tf.sigmoid(f + self._forget_bias) + tf.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class SRUCell(_Units):
    """The simple recurrent unit (arXiv:1709.02755): no matrix meets the state.

    Variables: ``kernel`` and ``bias`` (2 * units).
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          activation: The activation; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name; by default "sru_cell".
          **kwargs: As for `Layer`.
        """
        super().__init__(num_units, activation, reuse, name, kwargs.pop("dtype", None), **kwargs)

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        units = self._num_units
        self._kernel = self.add_weight("kernel", [last_size(input_shape), 4 * units])
        self._bias = self.add_weight("bias", [2 * units], initializer=ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        seen, f, r, passed = tf.split(tf.matmul(inputs, self._kernel), 4, axis=1)
        both = tf.sigmoid(tf.nn.bias_add(tf.concat([f, r], 1), self._bias))
        f, r = tf.split(both, 2, axis=1)
        c = f * state + (1.0 - f) * seen
        return r * self._activation(c) + (1.0 - r) * passed, c
