"""``tf.contrib.rnn``: the fused LSTM and GRU cells.

TF 2.21 has the kernel of `LSTMBlockFusedCell`; of the single cells it lacks the gradients, so they
are computed step by step here, with the same numbers.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers import InputSpec, Layer
from migrate.tf1_shim.nn._cell import LayerRNNCell, last_size
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = [
    "FusedRNNCell",
    "FusedRNNCellAdaptor",
    "GRUBlockCell",
    "GRUBlockCellV2",
    "LSTMBlockCell",
    "LSTMBlockFusedCell",
    "LSTMBlockWrapper",
    "TimeReversedFusedRNN",
]


def _clipped(values: Any, limit: float) -> Any:
    """Values clipped, with the gradient of TF1's kernel, which passes the clipping by."""

    @tf.custom_gradient
    def clip(x: Any) -> Any:
        return tf.clip_by_value(x, -limit, limit), lambda gradient: gradient

    return clip(values)


class LSTMBlockCell(LayerRNNCell):
    """The LSTM cell of one kernel: `BasicLSTMCell` with optional clipping and peepholes."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: bool | None = None,
        name: str | None = "lstm_cell",
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          forget_bias: Added to the forget gate when the cell runs.
          cell_clip: Clip the memory to plus and minus that; None for not.
          use_peephole: Whether the gates see the memory.
          dtype: The variables' dtype; by default that of the first input.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name.
        """
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._use_peephole = use_peephole
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, units)``."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``bias`` and the peepholes."""
        units = self._num_units
        self._kernel = self.add_weight("kernel", [last_size(input_shape) + units, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=ZEROS)
        if self._use_peephole:
            self._w_i_diag, self._w_f_diag, self._w_o_diag = (
                self.add_weight(f"w_{gate}_diag", [units]) for gate in "ifo"
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        if len(state) != 2:
            raise ValueError(f"The state must be a pair (c, h). Received: {state!r}")
        c, h = state
        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = tf.split(gates, 4, axis=1)
        f += self._forget_bias
        if self._use_peephole:
            i, f = i + c * self._w_i_diag, f + c * self._w_f_diag
        new_c = tf.tanh(j) * tf.sigmoid(i) + c * tf.sigmoid(f)
        if self._cell_clip > 0:
            new_c = _clipped(new_c, self._cell_clip)
        if self._use_peephole:
            o += new_c * self._w_o_diag
        new_h = tf.tanh(new_c) * tf.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class LSTMBlockWrapper(Layer):
    """Base class of layers that run an LSTM over a whole sequence in one operation."""

    @property
    def num_units(self) -> int:
        """The size of the state and of the output."""
        raise NotImplementedError

    def _call_cell(
        self, inputs: Any, c: Any, h: Any, dtype: Any, sequence_length: Any
    ) -> tuple[Any, Any]:
        """The memories and the outputs of all steps, each (time, batch, units)."""
        raise NotImplementedError

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> Any:
        """Run over a sequence.

        Args:
          inputs: (time, batch, size), or a list of (batch, size).
          initial_state: The first memory and output; None for zeros.
          dtype: The dtype; needed without ``initial_state``.
          sequence_length: The lengths of the sequences.

        Returns:
          The outputs in the form of the inputs, and the final ``LSTMStateTuple``.

        Raises:
          ValueError: If neither a first state nor a dtype is given.
        """
        listed = isinstance(inputs, list)
        if listed:
            inputs = tf.stack(inputs)
        batch = inputs.shape.as_list()[1]
        batch = tf.shape(inputs)[1] if batch is None else batch
        time = inputs.shape.as_list()[0]
        time = tf.shape(inputs)[0] if time is None else time
        if initial_state is None:
            if dtype is None:
                raise ValueError("A dtype is needed where no initial_state is given")
            zeros = tf.zeros(tf.stack([batch, self.num_units]), dtype=dtype)
            initial_state = zeros, zeros
        elif len(initial_state) != 2:
            raise ValueError(f"initial_state must be a pair (c, h). Received: {initial_state!r}")
        if dtype is None:
            dtype = initial_state[0].dtype
        if sequence_length is not None:
            sequence_length = tf.cast(sequence_length, tf.int64)
        first_c, first_h = initial_state
        memories, outputs = self._call_cell(inputs, first_c, first_h, dtype, sequence_length)
        if sequence_length is None:
            final = LSTMStateTuple(memories[-1], outputs[-1])
        else:
            mask = tf.transpose(tf.sequence_mask(sequence_length, time, dtype=dtype))
            outputs *= tf.expand_dims(mask, -1)

            def last(values: Any, first: Any) -> Any:
                whole = tf.concat([tf.expand_dims(first, 0), values], 0)
                at = tf.stack([tf.cast(sequence_length, tf.int32), tf.range(batch)], axis=1)
                return tf.gather_nd(whole, at)

            final = LSTMStateTuple(last(memories, first_c), last(outputs, first_h))
        return (tf.unstack(outputs) if listed else outputs), final


class LSTMBlockFusedCell(LSTMBlockWrapper):
    """An LSTM over a whole time-major sequence in one operation.

    Its variables are those of `LSTMBlockCell` in the scope "lstm_fused_cell".
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: Any = None,
        name: str | None = "lstm_fused_cell",
    ) -> None:
        """Make the layer: see `LSTMBlockCell`."""
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._cell_clip = cell_clip if cell_clip is not None else -1
        self._use_peephole = use_peephole
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The size of the state and of the output."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make ``kernel``, ``bias`` and the peepholes."""
        units = self._num_units
        self._kernel = self.add_weight("kernel", [last_size(input_shape) + units, 4 * units])
        self._bias = self.add_weight("bias", [4 * units], initializer=ZEROS)
        if self._use_peephole:
            self._w_i_diag, self._w_f_diag, self._w_o_diag = (
                self.add_weight(f"w_{gate}_diag", [units]) for gate in "ifo"
            )
        self.built = True

    def _call_cell(
        self, inputs: Any, c: Any, h: Any, dtype: Any, sequence_length: Any
    ) -> tuple[Any, Any]:
        if self._use_peephole:
            peepholes = self._w_i_diag, self._w_f_diag, self._w_o_diag
        else:
            peepholes = (tf.zeros([self._num_units], dtype=dtype),) * 3
        longest = tf.shape(inputs, out_type=tf.int64)[0]
        if sequence_length is not None:
            longest = tf.reduce_max(sequence_length)
        _, memories, _, _, _, _, outputs = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(longest, tf.int64),
            x=inputs,
            cs_prev=c,
            h_prev=h,
            w=self._kernel,
            wci=peepholes[0],
            wcf=peepholes[1],
            wco=peepholes[2],
            b=self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return memories, outputs


class GRUBlockCell(LayerRNNCell):
    """The GRU cell of one kernel, with the variables ``w_ru``, ``b_ru``, ``w_c``, ``b_c``."""

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: bool | None = None,
        name: str | None = "gru_cell",
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          cell_size: The older name of it.
          reuse: Whether to reuse the variables of the scope.
          name: The scope's name.

        Raises:
          ValueError: If none or both of the sizes are given.
        """
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError(
                "Give num_units, or its older name cell_size, and not both. Received: "
                f"num_units={num_units}, cell_size={cell_size}"
            )
        self._cell_size = num_units if cell_size is None else cell_size
        self.input_spec = InputSpec(ndim=2)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._cell_size

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._cell_size

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        units: Any = self._cell_size
        rows = last_size(input_shape) + units
        gates, gate_bias, candidate, bias = self._NAMES
        ones = tf.constant_initializer(1.0)
        self._gate_kernel = self.add_weight(gates, [rows, 2 * units])
        self._gate_bias = self.add_weight(gate_bias, [2 * units], initializer=ones)
        self._candidate_kernel = self.add_weight(candidate, [rows, units])
        self._candidate_bias = self.add_weight(
            bias, [units], initializer=tf.constant_initializer(0.0)
        )
        self.built = True

    def call(self, inputs: Any, h_prev: Any) -> Any:
        """One step."""
        gates = tf.matmul(tf.concat([inputs, h_prev], 1), self._gate_kernel)
        r, u = tf.split(tf.sigmoid(tf.nn.bias_add(gates, self._gate_bias)), 2, axis=1)
        candidate = tf.matmul(tf.concat([inputs, h_prev * r], 1), self._candidate_kernel)
        c = tf.tanh(tf.nn.bias_add(candidate, self._candidate_bias))
        new = u * h_prev + (1 - u) * c
        return new, new


class GRUBlockCellV2(GRUBlockCell):
    """The same with the names of `GRUCell`: ``gates/kernel``, ``candidate/kernel`` …"""

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


class FusedRNNCell:
    """Interface of what runs over a whole time-major sequence: ``cell(inputs, …)``."""

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Run over a sequence: the outputs and the final state."""
        raise NotImplementedError


class FusedRNNCellAdaptor(FusedRNNCell):
    """Runs an ordinary cell over a whole sequence."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          use_dynamic_rnn: Whether to run it by ``dynamic_rnn`` or ``static_rnn``.
        """
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Run over (time, batch, size) or a list: the outputs and the final state."""
        listed = isinstance(inputs, list)
        options = {"sequence_length": sequence_length, "initial_state": initial_state}
        if self._use_dynamic_rnn:
            inputs = tf.stack(inputs) if listed else inputs
            outputs, state = tf.nn.dynamic_rnn(
                self._cell, inputs, dtype=dtype, time_major=True, scope=scope, **options
            )
            return (tf.unstack(outputs, axis=0) if listed else outputs), state
        inputs = inputs if listed else tf.unstack(inputs, axis=0)
        outputs, state = tf.nn.static_rnn(self._cell, inputs, dtype=dtype, scope=scope, **options)
        return (outputs if listed else tf.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Runs a fused cell from the end of the sequences to their start."""

    def __init__(self, cell: Any) -> None:
        """Wrap a fused cell."""
        self._cell = cell

    def _reverse(self, tensor: Any, lengths: Any) -> Any:
        if isinstance(tensor, list):
            return list(reversed(tensor))
        if lengths is None:
            return tf.reverse(tensor, axis=[0])
        return tf.reverse_sequence(tensor, lengths, seq_axis=0, batch_axis=1)

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Run over (time, batch, size): the outputs in the inputs' order and the final state."""
        turned = self._reverse(inputs, sequence_length)
        outputs, state = self._cell(
            turned,
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return self._reverse(outputs, sequence_length), state
