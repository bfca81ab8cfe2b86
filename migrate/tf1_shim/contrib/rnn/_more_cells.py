"""``tf.contrib.rnn``: LSTMs with coupled gates, groups or phases; NAS and intersection cells."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim._values import activation as function
from migrate.tf1_shim.contrib.rnn._linear import linear
from migrate.tf1_shim.contrib.rnn._shards import input_size, norm, sharded, unused
from migrate.tf1_shim.nn._cell import LayerRNNCell, RNNCell, last_size
from migrate.tf1_shim.nn._lstm import LSTMStateTuple

__all__ = [
    "CompiledWrapper",
    "CoupledInputForgetGateLSTMCell",
    "GLSTMCell",
    "IntersectionRNNCell",
    "NASCell",
    "PhasedLSTMCell",
]


class CoupledInputForgetGateLSTMCell(RNNCell):
    """An LSTM whose input gate is one minus its forget gate (arXiv:1503.04069).

    Variables: ``W_0`` … (input + output, 3 * units), ``B``, with peepholes ``W_F_diag`` and
    ``W_O_diag``, with a projection ``W_P_0`` …, and gamma and beta of the normalizations.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: Any = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = tf.tanh,
        reuse: bool | None = None,
        layer_norm: bool = False,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory.
          use_peepholes: Whether the gates see the memory.
          initializer: Of no effect in TF1 either: the scope's is used. A warning says so.
          num_proj: The size of the output, if it is projected.
          proj_clip: The largest magnitude of the projected output.
          num_unit_shards: The number of variables that hold the kernel.
          num_proj_shards: The number of variables that hold the projection.
          forget_bias: Added to the forget gate when the cell runs.
          state_is_tuple: Whether the state is an `LSTMStateTuple`, or both concatenated.
          activation: The activation.
          reuse: Whether to reuse the variables of the scope.
          layer_norm: Whether to normalize gates and memory (the bias is then of no effect).
          norm_gain: Where gamma starts.
          norm_shift: Where beta starts.
        """
        super().__init__(_reuse=reuse)
        unused(self, "initializer", initializer)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = function(activation)
        self._layer_norm = layer_norm
        self._gain_shift = norm_gain, norm_shift

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, output)``, or the sum of both."""
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the projection, else the number of units."""
        return self._num_proj or self._num_units

    def _norm(self, values: Any, scope: str) -> Any:
        return norm(*self._gain_shift, values, scope) if self._layer_norm else values

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        units, dtype = self._num_units, inputs.dtype
        if self._state_is_tuple:
            c, m = state
        else:
            c = tf.slice(state, [0, 0], [-1, units])
            m = tf.slice(state, [0, units], [-1, self.output_size])
        rows = input_size(inputs) + self.output_size
        kernel = sharded("W", [rows, 3 * units], dtype, self._num_unit_shards)
        bias = tf.get_variable("B", [3 * units], initializer=tf.zeros_initializer(), dtype=dtype)
        gates = tf.matmul(tf.concat([inputs, m], 1), kernel)
        if not self._layer_norm:
            gates = tf.nn.bias_add(gates, bias)
        j, f, o = tf.split(gates, 3, axis=1)
        j, f, o = self._norm(j, "transform"), self._norm(f, "forget"), self._norm(o, "output")
        f = f + self._forget_bias
        peep = None
        if self._use_peepholes:
            f = f + tf.get_variable("W_F_diag", [units], dtype=dtype) * c
            peep = tf.get_variable("W_O_diag", [units], dtype=dtype)
        kept = tf.sigmoid(f)
        c = self._norm(kept * c + (1 - kept) * self._activation(j), "state")
        if peep is not None:
            o = o + peep * c
        m = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = tf.matmul(m, sharded("W_P", [units, self._num_proj], dtype, self._num_proj_shards))
            if self._proj_clip is not None:
                m = tf.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else tf.concat([c, m], 1)


class GLSTMCell(RNNCell):
    """An LSTM in groups, each with its part of the inputs and of the units (arXiv:1703.10722).

    Variables: ``group0/kernel`` …, ``bias_i``, ``bias_j``, ``bias_f``, ``bias_o``, and
    ``projection/kernel``.
    """

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Any = tf.tanh,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory.
          initializer: For the groups' kernels; None for the scope's default.
          num_proj: The size of the output, if it is projected.
          number_of_groups: How many groups.
          forget_bias: Added to the forget gate when the cell runs.
          activation: The activation of the memory on its way out.
          reuse: Whether to reuse the variables of the scope.

        Raises:
          ValueError: If units or projection cannot be divided by the groups.
        """
        super().__init__(_reuse=reuse)
        for name, size in (("num_units", num_units), ("num_proj", num_proj or 0)):
            if size % number_of_groups:
                raise ValueError(
                    f"{name} must be divisible by number_of_groups. "
                    f"Received: {size} and {number_of_groups}"
                )
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._groups = number_of_groups
        self._forget_bias = forget_bias
        self._activation = function(activation)

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, output)``."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """The size of the projection, else the number of units."""
        return self._num_proj or self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        c, m = state
        units, groups, dtype = self._num_units, self._groups, inputs.dtype
        size = input_size(inputs)
        if size % groups:
            raise ValueError(
                f"input size ({size}) must be divisible by number_of_groups ({groups})"
            )
        wide = self.output_size // groups
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            parts = []
            for n in range(groups):
                with tf.variable_scope(f"group{n}"):
                    x = tf.slice(inputs, [0, n * size // groups], [-1, size // groups])
                    h = tf.slice(m, [0, n * wide], [-1, wide])
                    gates = linear(tf.concat([x, h], 1), 4 * units // groups, False)
                    parts.append(tf.split(gates, 4, axis=1))
            start = tf.constant_initializer(0.0, dtype=dtype)
            i, j, f, o = (
                tf.nn.bias_add(
                    tf.concat(gate, axis=1),
                    tf.get_variable(f"bias_{name}", [units], dtype=dtype, initializer=start),
                )
                for name, gate in zip("ijfo", zip(*parts, strict=True), strict=True)
            )
        c = tf.sigmoid(f + self._forget_bias) * c + tf.sigmoid(i) * tf.tanh(j)
        m = tf.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with tf.variable_scope("projection"):
                m = linear(m, self._num_proj, False)
        return m, LSTMStateTuple(c, m)


class IntersectionRNNCell(RNNCell):
    """The +RNN cell: a gate along time and one along depth (arXiv:1611.09913).

    Variables: ``kernel``, ``bias``, and ``in_projection/kernel``, ``in_projection/bias``.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: Any = None,
        forget_bias: float = 1.0,
        y_activation: Any = tf.nn.relu,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the state and of the output.
          num_in_proj: Set it to ``num_units`` to map inputs of another size.
          initializer: For the kernels; None for the scope's default.
          forget_bias: Added to both gates when the cell runs.
          y_activation: The activation along depth.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._num_in_proj = num_in_proj
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._y_activation = function(y_activation)

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """One step.

        Raises:
          ValueError: If the inputs have another size than the units and are not projected.
        """
        units = self._num_units
        with tf.variable_scope(tf.get_variable_scope(), initializer=self._initializer):
            if input_size(inputs) != units:
                if not self._num_in_proj:
                    raise ValueError(
                        "IntersectionRNNCell needs inputs of the size of its output: give "
                        f"num_in_proj={self._num_units} to project them"
                    )
                with tf.variable_scope("in_projection"):
                    inputs = linear(inputs, units, True)
            values = linear(tf.concat([inputs, state], 1), 4 * units, True)
        gate_h, h, gate_y, y = tf.split(values, 4, axis=1)
        gate_h = tf.sigmoid(gate_h + self._forget_bias)
        gate_y = tf.sigmoid(gate_y + self._forget_bias)
        new_state = gate_h * state + (1.0 - gate_h) * tf.tanh(h)
        return gate_y * inputs + (1.0 - gate_y) * self._y_activation(y), new_state


class NASCell(LayerRNNCell):
    """The cell that neural architecture search found (arXiv:1611.01578).

    Variables: ``recurrent_kernel`` (output, 8 * units), ``kernel`` (input, 8 * units), ``bias``
    and ``projection_weights``.
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory.
          num_proj: The size of the output, if it is projected.
          use_bias: Whether there is a bias.
          reuse: Whether to reuse the variables of the scope.
          **kwargs: As for `Layer`.
        """
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, output)``."""
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> Any:
        """The size of the projection, else the number of units."""
        return self._num_units if self._num_proj is None else self._num_proj

    def build(self, input_shape: Any) -> None:
        """Make the variables."""
        columns = 8 * self._num_units
        self.recurrent_kernel = self.add_weight("recurrent_kernel", [self.output_size, columns])
        self.kernel = self.add_weight("kernel", [last_size(input_shape), columns])
        if self._use_bias:
            self.bias = self.add_weight("bias", [columns], initializer=ZEROS)
        if self._num_proj is not None:
            self.projection_weights = self.add_weight(
                "projection_weights", [self._num_units, self._num_proj]
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """One step: the tree of the paper's figure 8."""
        c, m = state
        recurrent = tf.matmul(m, self.recurrent_kernel)
        if self._use_bias:
            recurrent = tf.nn.bias_add(recurrent, self.bias)
        x = tf.split(tf.matmul(inputs, self.kernel), 8, axis=1)
        h = tf.split(recurrent, 8, axis=1)
        first = tf.tanh(tf.sigmoid(x[0] + h[0]) * tf.nn.relu(x[1] + h[1]))
        second = tf.tanh(tf.sigmoid(x[2] + h[2]) + tf.nn.relu(x[3] * h[3]))
        third = tf.tanh(tf.tanh(x[4] + h[4]) * tf.sigmoid(x[5] + h[5]))
        fourth = tf.sigmoid(tf.tanh(x[6] + h[6]) + tf.sigmoid(x[7] + h[7]))
        new_c = tf.tanh(first + c) * second
        new_m = tf.tanh(new_c * tf.tanh(third + fourth))
        if self._num_proj is not None:
            new_m = tf.matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


class PhasedLSTMCell(RNNCell):
    """An LSTM whose units are open a part of a learned period only (arXiv:1610.09513).

    The inputs are a pair: the time (batch, 1), float32 or float64, and the features.
    Variables: ``mask_gates/…``, ``new_input/…``, ``output_gate/…`` (kernel and bias each),
    ``period``, ``phase`` and ``ratio_on``.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: Any = 0.001,
        ratio_on: Any = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: Any = 1.0,
        period_init_max: Any = 1000.0,
        reuse: bool | None = None,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The size of the memory and of the output.
          use_peepholes: Whether the gates see the memory.
          leak: How much closed units let through.
          ratio_on: The share of the period in which units are open.
          trainable_ratio_on: Whether that is trained.
          period_init_min: The least period at the start; its logarithm is uniform.
          period_init_max: The largest one.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period = period_init_min, period_init_max

    @property
    def state_size(self) -> Any:
        """``LSTMStateTuple(units, units)``."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> Any:
        """The number of units."""
        return self._num_units

    def _cycle(self, time: Any, phase: Any, period: Any) -> Any:
        """Where in their period the units are, from 0 to 1; the remainder passes gradients on."""
        shifted = time - tf.cast(phase, time.dtype)
        period = tf.cast(period, time.dtype)
        rest = tf.stop_gradient(tf.mod(shifted, period) - shifted) + shifted
        return tf.cast(rest / period, tf.float32)

    def _variables(self) -> tuple[Any, Any, Any]:
        low, high = self._period

        def spread(shape: Any, dtype: Any = tf.float32, partition_info: Any = None) -> Any:
            if partition_info is not None:
                raise ValueError(f"The period cannot be partitioned. Received: {partition_info}")
            return tf.exp(tf.random_uniform(shape, tf.log(low), tf.log(high), dtype))

        size = [self._num_units]
        period = tf.get_variable("period", size, initializer=spread)
        start = tf.random_uniform_initializer(0.0, period.initial_value)
        phase = tf.get_variable("phase", size, initializer=start)
        ratio = tf.get_variable(
            "ratio_on",
            size,
            initializer=tf.constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        return period, phase, ratio

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        c, h = state
        time, x = inputs
        units, peep = self._num_units, self._use_peepholes
        with tf.variable_scope("mask_gates"):
            seen = [x, h, c] if peep else [x, h]
            i, f = tf.split(tf.sigmoid(linear(seen, 2 * units, True)), 2, axis=1)
        with tf.variable_scope("new_input"):
            new_input = tf.tanh(linear([x, h], units, True))
        new_c = c * f + i * new_input
        with tf.variable_scope("output_gate"):
            seen = [x, h, new_c] if peep else [x, h]
            o = tf.sigmoid(linear(seen, units, True))
        new_h = tf.tanh(new_c) * o
        period, phase, ratio = self._variables()
        cycle = self._cycle(time, phase, period)
        up = 2 * cycle / ratio
        k = tf.where(cycle < ratio, 2 - up, self._leak * cycle)
        k = tf.where(cycle < 0.5 * ratio, up, k)
        new_c = k * new_c + (1 - k) * c
        new_h = k * new_h + (1 - k) * h
        return new_h, LSTMStateTuple(new_c, new_h)


class CompiledWrapper(RNNCell):
    """Runs a cell's step in an XLA scope (``tf.xla.experimental.jit_scope``)."""

    def __init__(self, cell: Any, compile_stateful: bool = False) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          compile_stateful: Whether stateful operations are compiled too.
        """
        super().__init__()
        self._cell = cell
        self._compile_stateful = compile_stateful

    @property
    def state_size(self) -> Any:
        """The cell's."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The cell's."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's."""
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run the cell for one step: see `RNNCell`."""
        compiled: Any = True
        if not self._compile_stateful:
            graph = tf.get_default_graph()

            def compiled(node: Any) -> bool:
                return not graph.op_def_for_type(node.op).is_stateful

        with tf.xla.experimental.jit_scope(compile_ops=compiled):
            return self._cell(inputs, state, scope=scope)
