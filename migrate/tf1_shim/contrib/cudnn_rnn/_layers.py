"""``tf.contrib.cudnn_rnn``: the layers, in TensorFlow's operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.cudnn_rnn import _saveable
from migrate.tf1_shim.contrib.cudnn_rnn._formats import (
    LINEAR,
    UNIDIRECTION,
    check_modes,
)
from migrate.tf1_shim.layers import InputSpec, Layer
from migrate.tf1_shim.nn._cell import RNNCell

__all__ = ["CudnnGRU", "CudnnLSTM", "CudnnRNNRelu", "CudnnRNNTanh"]


class _Step(RNNCell):
    """A cell whose inputs were multiplied before, and whose weights are tensors."""

    def __init__(self, units: int, states: int, step: Callable[..., Any]) -> None:
        super().__init__()
        self._units, self._states, self._step = units, states, step

    @property
    def state_size(self) -> Any:
        return (self._units,) * self._states

    @property
    def output_size(self) -> Any:
        return self._units

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        new = self._step(inputs, *state)
        return new[0], new


class _CudnnRNN(Layer):
    """Base of the layers.

    The variable ``opaque_kernel`` is the flat vector of all weights, as cuDNN lays them out.
    Savers write kernels and biases in its place, under the names of the compatible cells, so
    checkpoints go from layer to cells and back, and between TF 1.15 and 2.21.
    """

    _saveable_cls: Any = None
    _states = 1

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = LINEAR,
        direction: str = UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = tf.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        """Make the layer.

        Args:
          num_layers: The number of layers.
          num_units: The units of a layer and direction.
          input_mode: "linear_input".
          direction: "unidirectional" or "bidirectional".
          dropout: The share of a layer's outputs that the next one does not see in training.
            The mask is not that of cuDNN.
          seed: The seed of the dropout and of the default initializer.
          dtype: float16, float32 or float64.
          kernel_initializer: For each of cuDNN's matrices; by default Glorot's uniform one.
          bias_initializer: For each of its vectors; by default zeros.
          name: The scope's name; by default "cudnn_lstm" and so on.

        Raises:
          ValueError: If there is no such mode, direction or dtype.
          NotImplementedError: If the input mode leaves the first matrix out.
        """
        super().__init__(dtype=dtype, name=name)
        check_modes(input_mode, direction)
        if tf.as_dtype(dtype) not in (tf.float16, tf.float32, tf.float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        self._num_layers, self._num_units = num_layers, num_units
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._plain_dtype = tf.as_dtype(dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer
        self._input_size: int | None = None
        self._saveable: Any = None

    @property
    def num_layers(self) -> int:
        """The number of layers."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The units of a layer and direction."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """The input mode."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """The size of the inputs.

        Raises:
          ValueError: Before the layer is built.
        """
        if self._input_size is None:
            raise ValueError("input_size is known once the layer is built: call it, or build() it")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        """cuDNN's name of the kind: "lstm", "gru", "rnn_tanh" or "rnn_relu"."""
        return self._rnn_mode

    _rnn_mode = ""

    @property
    def direction(self) -> str:
        """ "unidirectional" or "bidirectional"."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """One or two."""
        return 1 if self._direction == UNIDIRECTION else 2

    @property
    def saveable(self) -> Any:
        """What savers write; None before the layer is built."""
        return self._saveable

    @property
    def _converter(self) -> Any:
        return self._saveable_cls.converter(
            self._num_layers, self._num_units, self.input_size, direction=self._direction
        )

    @property
    def canonical_weight_shapes(self) -> Any:
        """The shapes of cuDNN's matrices."""
        return self._converter.weight_shapes

    @property
    def canonical_bias_shapes(self) -> Any:
        """The shapes of cuDNN's vectors."""
        return self._converter.bias_shapes

    def state_shape(self, batch_size: Any) -> Any:
        """The shapes of the states: (layers * directions, batch, units) each."""
        shape = [self._num_layers * self.num_dirs, batch_size, self._num_units]
        return (shape,) * self._states

    def build(self, input_shape: Any) -> None:
        """Make ``opaque_kernel``.

        Raises:
          ValueError: If the inputs are not of rank three, or their size is unknown.
        """
        sizes = tf.TensorShape(input_shape)
        if sizes.rank != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {sizes}")
        self._input_size = sizes.as_list()[-1]
        if self._input_size is None:
            raise ValueError(f"The inputs need a last axis of known size. Received: {input_shape}")
        self.input_spec = InputSpec(ndim=3, axes={-1: self._input_size})
        dtype, converter = self._plain_dtype, self._converter
        kernel = self._kernel_initializer or tf.glorot_uniform_initializer(
            seed=self._seed, dtype=dtype
        )
        bias = self._bias_initializer or tf.constant_initializer(0.0, dtype=dtype)

        def start(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
            del shape, partition_info
            return converter.pack(
                [kernel(size, dtype=dtype) for size in converter.weight_shapes],
                [bias(size, dtype=dtype) for size in converter.bias_shapes],
            )

        size = sum(a * b + a for a, b in converter.weight_shapes)
        self.kernel = self.add_weight("opaque_kernel", [size], dtype=dtype, initializer=start)
        if not tf.executing_eagerly() and self._saveable is None:
            self._saveable = self._saveable_cls(
                self.kernel,
                self._num_layers,
                self._num_units,
                self._input_size,
                self._input_mode,
                self._direction,
                scope=tf.get_variable_scope(),
                name=self.kernel.op.name + "_saveable",
            )
            if not tf.get_variable_scope().reuse:
                tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, self._saveable)
        self.built = True

    def call(
        self,
        inputs: Any,
        initial_state: Any = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> Any:
        """Run all layers.

        Args:
          inputs: (time, batch, size), or (batch, time, size).
          initial_state: A tuple of states: (h, c) for LSTMs, else (h,), each (layers * directions,
            batch, units), or the batch first like the inputs; by default zeros.
          sequence_lengths: int32 (batch): outputs past it are zero, states those at it.
          time_major: Whether the time comes first.
          training: Whether to drop.

        Returns:
          The outputs (time, batch, directions * units), like the inputs, and the states.

        Raises:
          TypeError: If the initial state is no tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        x = tf.convert_to_tensor(inputs, dtype=self._plain_dtype)
        if not time_major:
            x = tf.transpose(x, [1, 0, 2])
        if initial_state is None:
            shapes = self.state_shape(tf.shape(x)[1])
            states = [tf.zeros(shape, dtype=self._plain_dtype) for shape in shapes]
        else:
            states = [tf.convert_to_tensor(s, dtype=self._plain_dtype) for s in initial_state]
            if not time_major:
                states = [tf.transpose(state, [1, 0, 2]) for state in states]
        groups, ends = self._converter.groups(self.kernel), []
        for layer in range(self._num_layers):
            if layer and training and self._dropout:
                x = tf.nn.dropout(x, rate=self._dropout, seed=self._seed)
            outputs = []
            for way in range(self.num_dirs):
                n = layer * self.num_dirs + way
                first = tuple(state[n] for state in states)
                out, end = self._run(x, groups[n], first, sequence_lengths, bool(way))
                outputs.append(out)
                ends.append(end)
            x = outputs[0] if self.num_dirs == 1 else tf.concat(outputs, 2)
        last = tuple(tf.stack(parts) for parts in zip(*ends, strict=True))
        if not time_major:
            x = tf.transpose(x, [1, 0, 2])
            last = tuple(tf.transpose(state, [1, 0, 2]) for state in last)
        return x, last

    def _run(
        self, x: Any, group: Any, first: tuple[Any, ...], lengths: Any, backward: bool
    ) -> tuple[Any, Any]:
        """One layer in one direction: the outputs, and the last state."""

        def turned(values: Any) -> Any:
            if not backward:
                return values
            if lengths is None:
                return tf.reverse(values, [0])
            return tf.reverse_sequence(values, lengths, seq_axis=0, batch_axis=1)

        matrices, vectors = group
        gates = len(matrices) // 2
        kernel = tf.transpose(tf.concat(matrices[:gates], 0))
        seen = tf.tensordot(turned(x), kernel, 1) + tf.concat(vectors[:gates], 0)
        cell = _Step(
            self._num_units,
            self._states,
            self._stepper(
                tf.transpose(tf.concat(matrices[gates:], 0)), tf.concat(vectors[gates:], 0)
            ),
        )
        out, end = tf.nn.dynamic_rnn(
            cell, seen, sequence_length=lengths, initial_state=first, time_major=True
        )
        return turned(out), end

    def _stepper(self, kernel: Any, bias: Any) -> Callable[..., Any]:
        """From the recurrent weights to the step: (multiplied inputs, *state) to the new state."""
        raise NotImplementedError


class CudnnLSTM(_CudnnRNN):
    """LSTMs on each other. States are ``(h, c)``, in this order."""

    _rnn_mode = "lstm"
    _saveable_cls = _saveable.CudnnLSTMSaveable
    _states = 2

    def _stepper(self, kernel: Any, bias: Any) -> Callable[..., Any]:
        def step(x: Any, h: Any, c: Any) -> Any:
            i, f, g, o = tf.split(x + tf.matmul(h, kernel) + bias, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            return tf.sigmoid(o) * tf.tanh(c), c

        return step


class CudnnGRU(_CudnnRNN):
    """GRUs on each other, which reset after the matrix product. The state is ``(h,)``."""

    _rnn_mode = "gru"
    _saveable_cls = _saveable.CudnnGRUSaveable

    def _stepper(self, kernel: Any, bias: Any) -> Callable[..., Any]:
        units = self._num_units

        def step(x: Any, h: Any) -> Any:
            y = tf.matmul(h, kernel) + bias
            gates = tf.sigmoid(x[:, : 2 * units] + y[:, : 2 * units])
            r, u = tf.split(gates, 2, axis=1)
            new = tf.tanh(x[:, 2 * units :] + r * y[:, 2 * units :])
            return ((1 - u) * new + u * h,)

        return step


class CudnnRNNTanh(_CudnnRNN):
    """Plain recurrent layers with tanh. The state is ``(h,)``."""

    _rnn_mode = "rnn_tanh"
    _saveable_cls = _saveable.CudnnRNNTanhSaveable

    def _stepper(self, kernel: Any, bias: Any) -> Callable[..., Any]:
        return lambda x, h: (tf.tanh(x + tf.matmul(h, kernel) + bias),)


class CudnnRNNRelu(_CudnnRNN):
    """Plain recurrent layers with the rectifier. The state is ``(h,)``."""

    _rnn_mode = "rnn_relu"
    _saveable_cls = _saveable.CudnnRNNReluSaveable

    def _stepper(self, kernel: Any, bias: Any) -> Callable[..., Any]:
        return lambda x, h: (tf.nn.relu(x + tf.matmul(h, kernel) + bias),)
