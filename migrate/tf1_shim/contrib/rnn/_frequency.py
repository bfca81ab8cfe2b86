"""``tf.contrib.rnn``: LSTMs along time and frequency."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn._shards import input_size, sharded, unused
from migrate.tf1_shim.nn._cell import RNNCell

__all__ = ["BidirectionalGridLSTMCell", "GridLSTMCell", "TimeFreqLSTMCell"]


def _clipped(value: Any, limit: float | None) -> Any:
    return value if limit is None else tf.clip_by_value(value, -limit, limit)


class TimeFreqLSTMCell(RNNCell):
    """An LSTM that runs over windows of the features, and over time.

    The output of one window is an input of the next one. Source: Li et al., "LSTM Time and
    Frequency Recurrence for Automatic Speech Recognition", ASRU 2015.

    Variables: ``W_0`` … (window + 2 * units, 4 * units), ``B``, and with peepholes ``W_F_diag``,
    ``W_I_diag``, ``W_O_diag``.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int = 1,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory and of the output of a window.
          use_peepholes: Whether the gates see the memory.
          cell_clip: The largest magnitude of the memory.
          initializer: Of no effect in TF1 either: the scope's is used. A warning says so.
          num_unit_shards: The number of variables that hold the kernel.
          forget_bias: Added to the forget gate when the cell runs.
          feature_size: The size of a window.
          frequency_skip: How far windows are apart.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(_reuse=reuse)
        unused(self, "initializer", initializer)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip

    @property
    def output_size(self) -> Any:
        """The number of units (of each window)."""
        return self._num_units

    @property
    def state_size(self) -> Any:
        """Twice the number of units (of each window)."""
        return 2 * self._num_units

    def _windows(self, inputs: Any) -> list[Any]:
        if self._feature_size is None:
            raise ValueError("TimeFreqLSTMCell needs a feature_size. Received: None")
        count = int((input_size(inputs) - self._feature_size) / self._frequency_skip) + 1
        return [
            tf.slice(inputs, [0, f * self._frequency_skip], [-1, self._feature_size])
            for f in range(count)
        ]

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: (batch, windows * units) and the state (batch, 2 * windows * units)."""
        units, windows = self._num_units, self._windows(inputs)
        rows = windows[0].shape.as_list()[1] + 2 * units
        kernel = sharded("W", [rows, 4 * units], inputs.dtype, self._num_unit_shards)
        bias = tf.get_variable(
            "B", [4 * units], initializer=tf.zeros_initializer(), dtype=inputs.dtype
        )
        peep = {}
        if self._use_peepholes:
            peep = {g: tf.get_variable(f"W_{g}_diag", [units], dtype=inputs.dtype) for g in "FIO"}
        m_freq = tf.zeros([inputs.shape.as_list()[0] or tf.shape(inputs)[0], units], inputs.dtype)
        outputs, states = [], []
        for n, window in enumerate(windows):
            c = tf.slice(state, [0, 2 * n * units], [-1, units])
            m = tf.slice(state, [0, (2 * n + 1) * units], [-1, units])
            gates = tf.matmul(tf.concat([window, m, m_freq], 1), kernel)
            i, j, f, o = tf.split(tf.nn.bias_add(gates, bias), 4, axis=1)
            f = f + self._forget_bias
            if peep:
                f, i = f + peep["F"] * c, i + peep["I"] * c
            c = _clipped(tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j), self._cell_clip)
            if peep:
                o = o + peep["O"] * c
            m_freq = tf.sigmoid(o) * tf.tanh(c)
            outputs.append(m_freq)
            states += [c, m_freq]
        return tf.concat(outputs, 1), tf.concat(states, 1)


class GridLSTMCell(RNNCell):
    """Two LSTMs, along time and along frequency, over windows of the features.

    Source: arXiv:1507.01526, as in Li and Sainath, ICASSP 2016 ("Modeling Time-Frequency Patterns
    with LSTM vs. Convolutional Architectures for LVCSR Tasks").

    Variables of each block n: ``W_f_n_0`` …, ``B_f_n``, ``W_t_n_0`` …, ``B_t_n`` and the peepholes.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memories and outputs of a window.
          use_peepholes: Whether the gates see the memories.
          share_time_frequency_weights: Whether both LSTMs have the same weights.
          cell_clip: The largest magnitude of the memories.
          initializer: Of no effect in TF1 either: the scope's is used. A warning says so.
          num_unit_shards: The number of variables that hold a kernel.
          forget_bias: Added to the forget gates when the cell runs.
          feature_size: The size of a window.
          frequency_skip: How far windows are apart.
          num_frequency_blocks: A list: the number of windows in each block.
          start_freqindex_list: A list: where each block's features start.
          end_freqindex_list: A list: where they end.
          couple_input_forget_gates: Whether the forget gate is one minus the input gate.
          state_is_tuple: Whether the state is a named tuple, or all concatenated.
          reuse: Whether to reuse the variables of the scope.

        Raises:
          ValueError: If ``num_frequency_blocks`` is None.
        """
        super().__init__(_reuse=reuse)
        unused(self, "initializer", initializer)
        if num_frequency_blocks is None:
            raise ValueError("Must specify num_frequency_blocks")
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._share = share_time_frequency_weights
        self._couple = couple_input_forget_gates
        self._state_is_tuple = state_is_tuple
        self._cell_clip = cell_clip
        self._num_unit_shards = num_unit_shards
        self._forget_bias = forget_bias
        self._feature_size = feature_size
        self._frequency_skip = frequency_skip
        self._blocks = [int(count) for count in num_frequency_blocks]
        self._starts = start_freqindex_list
        self._ends = end_freqindex_list
        self._state_tuple_type = self._tuple("GridLSTMStateTuple", "state")
        self._output_size = 2 * num_units * sum(self._blocks)
        if not state_is_tuple:
            self._state_tuple_type = None

    def _tuple(self, name: str, *prefixes: str) -> Any:
        fields = [
            f"{prefix}_f{f:02d}_b{b:02d}_{part}"
            for prefix in prefixes
            for b, count in enumerate(self._blocks)
            for f in range(count)
            for part in "cm"
        ]
        return collections.namedtuple(name, fields)

    @property
    def output_size(self) -> Any:
        """Twice the units of all windows."""
        return self._output_size

    @property
    def state_size(self) -> Any:
        """The units of the two parts of each window, or their sum."""
        if self._state_tuple_type is None:
            return self._output_size
        return self._state_tuple_type(*[self._num_units] * len(self._state_tuple_type._fields))

    @property
    def state_tuple_type(self) -> Any:
        """The class of the state; None if it is one tensor."""
        return self._state_tuple_type

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: (batch, `output_size`) and the new state."""
        outputs: list[Any] = []
        states: list[Any] = []
        for block, windows in enumerate(self._windows(inputs)):
            out, new = self._block(windows, block, state, inputs, "state")
            outputs += out
            states += new
        joined = tf.concat(outputs, 1)
        if self._state_tuple_type is None:
            return joined, tf.concat(states, 1)
        return joined, self._state_tuple_type(*states)

    def _windows(self, inputs: Any, offset: int = 0) -> list[list[Any]]:
        """The windows of each block."""
        if self._feature_size is None or self._frequency_skip is None:
            raise ValueError(
                f"{type(self).__name__} needs feature_size and frequency_skip. Received: "
                f"{self._feature_size} and {self._frequency_skip}"
            )
        size = input_size(inputs)
        if offset:
            inputs = tf.pad(inputs, [[0, 0], [0, offset] if offset > 0 else [-offset, 0]])
            offset = max(offset, 0)
        starts, ends = self._starts or [0], self._ends or [size]
        if len(starts) != len(ends) or len(starts) != len(self._blocks):
            raise ValueError(
                "num_frequency_blocks, start_freqindex_list and end_freqindex_list need one length."
                f" Received: {self._blocks}, {self._starts}, {self._ends}"
            )
        found = []
        for count, start, end in zip(self._blocks, starts, ends, strict=True):
            fits = int((end - start - self._feature_size) / self._frequency_skip) + 1
            if fits != count:
                raise ValueError(
                    f"These inputs have {fits} blocks of frequencies. Received: "
                    f"num_frequency_blocks with {count}"
                )
            found.append(
                [
                    tf.slice(
                        inputs,
                        [0, start + offset + f * self._frequency_skip],
                        [-1, self._feature_size],
                    )
                    for f in range(count)
                ]
            )
        return found

    def _weights(self, block: int, rows: int, dtype: Any) -> tuple[Any, Any, dict[str, Any]]:
        """Kernels and biases of both LSTMs, and the peepholes by name."""
        units, gates = self._num_units, "IO" if self._couple else "FIO"
        columns = (3 if self._couple else 4) * units
        pairs = []
        for kind in "f" if self._share else "ft":
            kernel = sharded(f"W_{kind}_{block}", [rows, columns], dtype, self._num_unit_shards)
            bias = tf.get_variable(
                f"B_{kind}_{block}", [columns], initializer=tf.zeros_initializer(), dtype=dtype
            )
            pairs.append((kernel, bias))
        peep = {}
        if self._use_peepholes:
            for kind in ("freq",) if self._share else ("freq", "time"):
                for gate in gates:
                    for part in "ft":
                        name = f"W_{gate}_diag_{kind}{part}"
                        peep[gate + kind + part] = tf.get_variable(
                            f"{name}_{block}", [units], dtype=dtype
                        )
        return pairs[0], pairs[-1], peep

    def _block(
        self, windows: list[Any], block: int, state: Any, inputs: Any, prefix: str
    ) -> tuple[list[Any], list[Any]]:
        """One step of a block: the outputs of its windows, and their new states."""
        units, dtype = self._num_units, windows[0].dtype
        rows = windows[0].shape.as_list()[1] + 2 * units
        over_freq, over_time, peep = self._weights(block, rows, dtype)
        batch = inputs.shape.as_list()[0] or tf.shape(inputs)[0]
        m_freq = tf.zeros([batch, units], dtype)
        c_freq = tf.zeros([batch, units], dtype)
        time_kind = "freq" if self._share else "time"

        def split(joined: Any, weights: Any) -> list[Any]:
            gates = tf.nn.bias_add(tf.matmul(joined, weights[0]), weights[1])
            if not self._couple:
                return list(tf.split(gates, 4, axis=1))
            i, j, o = tf.split(gates, 3, axis=1)
            return [i, j, None, o]

        def see(gate: str, kind: str, value: Any, first: Any, second: Any) -> Any:
            if not peep:
                return value
            return value + peep[gate + kind + "f"] * first + peep[gate + kind + "t"] * second

        def memory(kind: str, gates: list[Any], old: Any, c_f: Any, c_t: Any) -> Any:
            i, j, f, _ = gates
            opened = tf.sigmoid(see("I", kind, i, c_f, c_t))
            if self._couple:
                kept = 1.0 - opened
            else:
                kept = tf.sigmoid(see("F", kind, f + self._forget_bias, c_f, c_t))
            return _clipped(kept * old + opened * tf.tanh(j), self._cell_clip)

        outputs, states = [], []
        for n, window in enumerate(windows):
            if self._state_tuple_type is not None:
                name = f"{prefix}_f{n:02d}_b{block:02d}"
                c_time, m_time = getattr(state, name + "_c"), getattr(state, name + "_m")
            else:
                c_time = tf.slice(state, [0, 2 * n * units], [-1, units])
                m_time = tf.slice(state, [0, (2 * n + 1) * units], [-1, units])
            joined = tf.concat([window, m_time, m_freq], 1)
            freq = split(joined, over_freq)
            time = freq if self._share else split(joined, over_time)
            new_freq = memory("freq", freq, c_freq, c_freq, c_time)
            new_time = memory(time_kind, time, c_time, c_freq, c_time)
            m_freq = tf.sigmoid(see("O", "freq", freq[3], new_freq, new_time)) * tf.tanh(new_freq)
            m_time = tf.sigmoid(see("O", time_kind, time[3], new_freq, new_time))
            m_time = m_time * tf.tanh(new_time)
            c_freq = new_freq
            states += [new_time, m_time]
            outputs += [m_time, m_freq]
        return outputs, states


class BidirectionalGridLSTMCell(GridLSTMCell):
    """A `GridLSTMCell` that runs over the frequencies in both directions, with own weights.

    The variables are those of `GridLSTMCell` below ``fwd`` and ``bwd``. The state is a named tuple.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        share_time_frequency_weights: bool = False,
        cell_clip: float | None = None,
        initializer: Any = None,
        num_unit_shards: int = 1,
        forget_bias: float = 1.0,
        feature_size: int | None = None,
        frequency_skip: int | None = None,
        num_frequency_blocks: Any = None,
        start_freqindex_list: Any = None,
        end_freqindex_list: Any = None,
        couple_input_forget_gates: bool = False,
        backward_slice_offset: int = 0,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell: see `GridLSTMCell`.

        Args:
          num_units: See `GridLSTMCell`, as all others.
          use_peepholes: …
          share_time_frequency_weights: …
          cell_clip: …
          initializer: …
          num_unit_shards: …
          forget_bias: …
          feature_size: …
          frequency_skip: …
          num_frequency_blocks: …
          start_freqindex_list: …
          end_freqindex_list: …
          couple_input_forget_gates: …
          backward_slice_offset: How far the backward windows are shifted.
          reuse: …
        """
        super().__init__(
            num_units,
            use_peepholes,
            share_time_frequency_weights,
            cell_clip,
            initializer,
            num_unit_shards,
            forget_bias,
            feature_size,
            frequency_skip,
            num_frequency_blocks,
            start_freqindex_list,
            end_freqindex_list,
            couple_input_forget_gates,
            True,
            reuse,
        )
        self._backward_slice_offset = int(backward_slice_offset)
        self._state_tuple_type = self._tuple(
            "BidirectionalGridLSTMStateTuple", "fwd_state", "bwd_state"
        )
        self._output_size *= 2

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: (batch, `output_size`) and the new state."""
        forward = self._windows(inputs)
        backward = forward
        if self._backward_slice_offset:
            backward = self._windows(inputs, self._backward_slice_offset)
        outputs: list[Any] = []
        states: list[Any] = []
        for scope, blocks in (("fwd", forward), ("bwd", [b[::-1] for b in backward])):
            with tf.variable_scope(scope):
                for block, windows in enumerate(blocks):
                    out, new = self._block(windows, block, state, inputs, scope + "_state")
                    outputs += out
                    states += new
        return tf.concat(outputs, 1), self._state_tuple_type(*states)
