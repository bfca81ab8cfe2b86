"""The long short-term memory cells of ``tf.nn.rnn_cell``."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values
from migrate.tf1_shim.layers import InputSpec
from migrate.tf1_shim.nn._cell import BIAS, KERNEL, LayerRNNCell, last_size

__all__ = ["BasicLSTMCell", "LSTMCell", "LSTMStateTuple"]


class LSTMStateTuple(NamedTuple("LSTMStateTuple", [("c", Any), ("h", Any)])):
    """The state of an LSTM: ``c``, the memory, and ``h``, the output of the step before.

    TF1 keeps them in this order, Keras the other way round.
    """

    __slots__ = ()

    @property
    def dtype(self) -> Any:
        """The dtype that both have.

        Raises:
          TypeError: If they differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError(f"Inconsistent internal state: {self.c.dtype} vs {self.h.dtype}")
        return self.c.dtype


class BasicLSTMCell(LayerRNNCell):
    """The LSTM cell without peepholes, clipping or projection.

    The columns of the kernel (input + units, 4 * units) are i, j, f, o; ``forget_bias`` is added
    to f when it runs and is not part of the variable.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of ``c``, ``h`` and the output.
          forget_bias: Added to the forget gate. Set it to 0 for a checkpoint of ``CudnnLSTM``.
          state_is_tuple: Whether the state is an `LSTMStateTuple`, or both concatenated.
          activation: A callable or a name; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name; by default "basic_lstm_cell".
          dtype: The variables' dtype; by default that of the first input.
          **kwargs: As for `Layer`.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _values.activation(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, units)``, or twice the units."""
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make ``kernel`` and ``bias``."""
        rows = last_size(input_shape) + self._num_units
        self._kernel = self.add_weight(KERNEL, [rows, 4 * self._num_units])
        self._bias = self.add_weight(BIAS, [4 * self._num_units], initializer=_values.ZEROS)
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = tf.split(value=state, num_or_size_splits=2, axis=1)
        gates = tf.matmul(tf.concat([inputs, h], 1), self._kernel)
        gates = tf.nn.bias_add(gates, self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        forget = tf.constant(self._forget_bias, dtype=f.dtype)
        new_c = tf.add(
            tf.multiply(c, tf.sigmoid(tf.add(f, forget))),
            tf.multiply(tf.sigmoid(i), self._activation(j)),
        )
        new_h = tf.multiply(self._activation(new_c), tf.sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, tf.concat([new_c, new_h], 1)


class LSTMCell(LayerRNNCell):
    """The LSTM cell with optional peepholes, clipping and projection.

    Variables: ``kernel``, ``bias``; with peepholes ``w_f_diag``, ``w_i_diag``, ``w_o_diag``; with
    a projection ``projection/kernel``.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory ``c``.
          use_peepholes: Whether the gates see the memory, each entry by a weight of its own.
          cell_clip: Clip the memory to plus and minus that before the output.
          initializer: For the kernels and the peepholes; None for the scope's default.
          num_proj: The size of the projected output; None for no projection.
          proj_clip: Clip the projected output; needs ``num_proj``.
          num_unit_shards: Split the kernel into that many variables (deprecated in TF1: use a
            variable scope's partitioner).
          num_proj_shards: The same for the projection.
          forget_bias: Added to the forget gate when the cell runs.
          state_is_tuple: Whether the state is an `LSTMStateTuple`, or both concatenated.
          activation: A callable or a name; by default tanh.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name; by default "lstm_cell".
          dtype: The variables' dtype; by default that of the first input.
          **kwargs: As for `Layer`.
        """
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = _values.initializer(initializer)
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = _values.activation(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, output)``, or the sum of both."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the projection, else the number of units."""
        return self._num_proj or self._num_units

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        rows, units = last_size(input_shape) + self.output_size, self._num_units

        def shards(count: int | None) -> Any:
            return tf.fixed_size_partitioner(count) if count is not None else None

        self._kernel = self.add_weight(
            KERNEL,
            [rows, 4 * units],
            initializer=self._initializer,
            partitioner=shards(self._num_unit_shards),
        )
        self._bias = self.add_weight(BIAS, [4 * units], initializer=_values.ZEROS)
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_weight(f"w_{gate}_diag", [units], initializer=self._initializer)
                for gate in "fio"
            )
        if self._num_proj is not None:
            self._proj_kernel = self.add_weight(
                "projection/kernel",
                [units, self._num_proj],
                initializer=self._initializer,
                partitioner=shards(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        units, peep = self._num_units, self._use_peepholes
        if self._state_is_tuple:
            c, h = state
        else:
            c = tf.slice(state, [0, 0], [-1, units])
            h = tf.slice(state, [0, units], [-1, self.output_size])
        gates = tf.matmul(tf.concat([inputs, h], 1), self._kernel)
        gates = tf.nn.bias_add(gates, self._bias)
        i, j, f, o = tf.split(value=gates, num_or_size_splits=4, axis=1)
        f = f + self._forget_bias
        if peep:
            f, i = f + self._w_f_diag * c, i + self._w_i_diag * c
        new_c = tf.sigmoid(f) * c + tf.sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            new_c = tf.clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        if peep:
            o = o + self._w_o_diag * new_c
        new_h = tf.sigmoid(o) * self._activation(new_c)
        if self._num_proj is not None:
            new_h = tf.matmul(new_h, self._proj_kernel)
            if self._proj_clip is not None:
                new_h = tf.clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, tf.concat([new_c, new_h], 1)
