"""``tf.contrib.cudnn_rnn``: cuDNN's flat vector of weights, and TensorFlow's kernels and biases.

The vector holds the weights of all layers and directions, then all biases. Of one layer and
direction they are one matrix (units, inputs) for each gate, then one (units, units) for each gate;
of the biases one vector for each of these matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "BIDIRECTION",
    "LINEAR",
    "UNIDIRECTION",
    "CudnnParamsFormatConverterGRU",
    "CudnnParamsFormatConverterLSTM",
    "CudnnParamsFormatConverterRelu",
    "CudnnParamsFormatConverterTanh",
    "check_modes",
]

UNIDIRECTION, BIDIRECTION = "unidirectional", "bidirectional"
LINEAR = "linear_input"


def check_modes(input_mode: str, direction: str) -> None:
    """Check an input mode and a direction.

    Raises:
      ValueError: If there is no such direction or mode.
      NotImplementedError: If the mode leaves the first matrix out.
    """
    if direction not in (UNIDIRECTION, BIDIRECTION):
        raise ValueError(
            f"Invalid direction: {direction!r}, expecting {UNIDIRECTION!r} or {BIDIRECTION!r}"
        )
    if input_mode in ("skip_input", "auto_select"):
        raise NotImplementedError(
            f"input_mode={input_mode!r} is not in migrate.tf1_shim.contrib.cudnn_rnn: use "
            f"{LINEAR!r}, which multiplies the inputs by a matrix"
        )
    if input_mode != LINEAR:
        raise ValueError(f"Invalid input_mode: {input_mode!r}, expecting {LINEAR!r}")


class Converter:
    """Base of the converters."""

    #: The gates of a layer, and how cuDNN's order of them becomes that of TensorFlow's kernel.
    gates = 1
    order: tuple[int, ...] = (0,)

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        num_proj: int | None = None,
        input_mode: str = LINEAR,
        direction: str = UNIDIRECTION,
    ) -> None:
        """Make a converter.

        Args:
          num_layers: The number of layers.
          num_units: The units of a layer and direction.
          input_size: The size of the inputs.
          num_proj: Only None: projections are not supported.
          input_mode: "linear_input".
          direction: "unidirectional" or "bidirectional".

        Raises:
          NotImplementedError: If the outputs are projected.
        """
        check_modes(input_mode, direction)
        if num_proj:
            raise NotImplementedError(
                f"num_proj={num_proj} is not in migrate.tf1_shim.contrib.cudnn_rnn: use "
                "tf1_shim.nn.rnn_cell.LSTMCell(num_proj=…)"
            )
        self._num_layers, self._num_units, self._input_size = num_layers, num_units, input_size
        self._num_dirs = 1 if direction == UNIDIRECTION else 2

    def inputs_of(self, layer: int) -> int:
        """The size of a layer's inputs."""
        return self._num_units * self._num_dirs if layer else self._input_size

    @property
    def weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of cuDNN's matrices, in order."""
        units = self._num_units
        return [
            (units, columns)
            for layer in range(self._num_layers)
            for _ in range(self._num_dirs)
            for columns in [self.inputs_of(layer)] * self.gates + [units] * self.gates
        ]

    @property
    def bias_shapes(self) -> list[list[int]]:
        """The shapes of cuDNN's vectors, in order."""
        return [[self._num_units]] * len(self.weight_shapes)

    def pack(self, weights: Sequence[Any], biases: Sequence[Any]) -> Any:
        """The flat vector of cuDNN's matrices and vectors."""
        return tf.concat([tf.reshape(part, [-1]) for part in [*weights, *biases]], 0)

    def unpack(self, opaque: Any) -> tuple[list[Any], list[Any]]:
        """cuDNN's matrices and vectors of the flat vector."""
        shapes: list[Any] = [*self.weight_shapes, *self.bias_shapes]
        parts = tf.split(opaque, [math.prod(shape) for shape in shapes])
        made = [tf.reshape(part, shape) for part, shape in zip(parts, shapes, strict=True)]
        half = len(made) // 2
        return made[:half], made[half:]

    def groups(self, opaque: Any) -> list[tuple[list[Any], list[Any]]]:
        """Matrices and vectors of each layer and direction."""
        weights, biases = self.unpack(opaque)
        size = 2 * self.gates
        return [(weights[i : i + size], biases[i : i + size]) for i in range(0, len(weights), size)]

    def opaque_to_tf_canonical(self, opaque_param: Any) -> tuple[list[Any], list[Any]]:
        """TensorFlow's kernels and biases.

        Args:
          opaque_param: The flat vector.

        Returns:
          All kernels, and all biases, by layer and direction.
        """
        weights: list[Any] = []
        biases: list[Any] = []
        for matrices, vectors in self.groups(opaque_param):
            kernels, shifts = self._to_tf(matrices, vectors)
            weights += kernels
            biases += shifts
        return weights, biases

    def tf_canonical_to_opaque(self, tf_canonicals: Sequence[Any], weights_proj: Any = None) -> Any:
        """The flat vector.

        Args:
          tf_canonicals: All kernels, then all biases.
          weights_proj: Only None.

        Returns:
          A vector.

        Raises:
          NotImplementedError: If there are projections.
        """
        if weights_proj is not None:
            raise NotImplementedError(
                "weights_proj is not in migrate.tf1_shim.contrib.cudnn_rnn. Received: "
                f"{weights_proj}"
            )
        half, cells = len(tf_canonicals) // 2, self._num_layers * self._num_dirs
        size = half // cells
        weights: list[Any] = []
        biases: list[Any] = []
        for i in range(cells):
            part = slice(i * size, (i + 1) * size)
            matrices, vectors = self._to_cudnn(
                self.inputs_of(i // self._num_dirs),
                tf_canonicals[:half][part],
                tf_canonicals[half:][part],
            )
            weights += matrices
            biases += vectors
        return self.pack(weights, biases)

    def _to_tf(self, matrices: list[Any], vectors: list[Any]) -> tuple[list[Any], list[Any]]:
        n = self.gates
        rows = [tf.concat([matrices[g], matrices[n + g]], 1) for g in self.order]
        shifts = [vectors[g] + vectors[n + g] for g in self.order]
        return [tf.transpose(tf.concat(rows, 0))], [tf.concat(shifts, 0)]

    def _to_cudnn(
        self, inputs: int, kernels: Sequence[Any], biases: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        back = [self.order.index(g) for g in range(self.gates)]
        rows = tf.split(tf.transpose(kernels[0]), self.gates, axis=0)
        halves = [tf.split(rows[g], [inputs, self._num_units], axis=1) for g in back]
        shifts = tf.split(biases[0] * 0.5, self.gates, axis=0)
        return [a for a, _ in halves] + [b for _, b in halves], [shifts[g] for g in back] * 2


class CudnnParamsFormatConverterLSTM(Converter):
    """Between `CudnnLSTM`'s vector and the variables of `CudnnCompatibleLSTMCell`."""

    gates = 4
    order = (0, 2, 1, 3)


class CudnnParamsFormatConverterTanh(Converter):
    """Between `CudnnRNNTanh`'s vector and the variables of `BasicRNNCell`."""


class CudnnParamsFormatConverterRelu(Converter):
    """Between `CudnnRNNRelu`'s vector and the variables of `BasicRNNCell`."""


class CudnnParamsFormatConverterGRU(Converter):
    """Between `CudnnGRU`'s vector and the variables of `CudnnCompatibleGRUCell`."""

    gates = 3

    def _to_tf(self, matrices: list[Any], vectors: list[Any]) -> tuple[list[Any], list[Any]]:
        w_r, w_u, w_h, r_r, r_u, r_h = matrices
        gates = [tf.concat([w_r, r_r], 1), tf.concat([w_u, r_u], 1)]
        shift = tf.concat(vectors[:2], 0) + tf.concat(vectors[3:5], 0)
        kernels = [tf.transpose(tf.concat(gates, 0)), tf.transpose(w_h), tf.transpose(r_h)]
        return kernels, [shift, vectors[2], vectors[5]]

    def _to_cudnn(
        self, inputs: int, kernels: Sequence[Any], biases: Sequence[Any]
    ) -> tuple[list[Any], list[Any]]:
        both, w_h, r_h = (tf.transpose(kernel) for kernel in kernels)
        rows = tf.split(both, 2, axis=0)
        (w_r, r_r), (w_u, r_u) = (tf.split(row, [inputs, self._num_units], axis=1) for row in rows)
        b_r, b_u = tf.split(biases[0] * 0.5, 2, axis=0)
        vectors = [b_r, b_u, biases[1], b_r, b_u, biases[2]]
        return [w_r, w_u, w_h, r_r, r_u, r_h], vectors
