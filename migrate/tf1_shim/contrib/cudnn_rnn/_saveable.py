"""``tf.contrib.cudnn_rnn``: checkpoints with the variables of the compatible cells."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

# What a Saver takes beside variables has no public name in TF 2.21.
from tensorflow.python.training.saving.saveable_object import SaveableObject, SaveSpec

from migrate.tf1_shim.contrib.cudnn_rnn import _formats

__all__ = [
    "CudnnGRUSaveable",
    "CudnnLSTMSaveable",
    "CudnnRNNReluSaveable",
    "CudnnRNNTanhSaveable",
]


class _Saveable(SaveableObject):
    """Saves a flat vector of weights as kernels and biases, and restores it from them."""

    converter: Any = None
    cell = ""
    kernels: tuple[str, ...] = ("kernel",)
    biases: tuple[str, ...] = ("bias",)

    def __init__(
        self,
        opaque_params: Any,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = _formats.LINEAR,
        direction: str = _formats.UNIDIRECTION,
        scope: Any = None,
        name: str = "cudnn_rnn_saveable",
    ) -> None:
        """Make it.

        Args:
          opaque_params: The variable with the flat vector.
          num_layers: The number of layers.
          num_units: The units of a layer and direction.
          input_size: The size of the inputs.
          input_mode: "linear_input".
          direction: "unidirectional" or "bidirectional".
          scope: The variable scope under which kernels and biases are saved, or its name.
          name: The name of this object.
        """
        self._variables = opaque_params
        self._converter = type(self).converter(
            num_layers, num_units, input_size, input_mode=input_mode, direction=direction
        )
        prefix = getattr(scope, "name", scope)
        cells = []
        for layer in range(num_layers):
            if direction == _formats.UNIDIRECTION:
                cells.append(f"rnn/multi_rnn_cell/cell_{layer}/{self.cell}")
                continue
            both = f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn"
            cells += [f"{both}/{way}/{self.cell}" for way in ("fw", "bw")]
        names = [f"{cell}/{part}" for cell in cells for part in self.kernels]
        names += [f"{cell}/{part}" for cell in cells for part in self.biases]
        weights, biases = self._converter.opaque_to_tf_canonical(opaque_params)
        specs = [
            SaveSpec(tensor, "", f"{prefix}/{part}" if prefix else part)
            for tensor, part in zip([*weights, *biases], names, strict=True)
        ]
        super().__init__(tf.identity(opaque_params), specs, name)

    @property
    def format_converter(self) -> Any:
        """The converter between the two forms."""
        return self._converter

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Assign kernels and biases to the variable.

        Args:
          restored_tensors: All kernels, then all biases.
          restored_shapes: None, since the sizes are known.

        Returns:
          The operation.
        """
        del restored_shapes
        opaque = self._converter.tf_canonical_to_opaque(restored_tensors)
        return self._variables.assign(opaque)


class CudnnLSTMSaveable(_Saveable):
    """`CudnnLSTM`'s weights as those of `CudnnCompatibleLSTMCell`."""

    converter = _formats.CudnnParamsFormatConverterLSTM
    cell = "cudnn_compatible_lstm_cell"


class CudnnGRUSaveable(_Saveable):
    """`CudnnGRU`'s weights as those of `CudnnCompatibleGRUCell`."""

    converter = _formats.CudnnParamsFormatConverterGRU
    cell = "cudnn_compatible_gru_cell"
    kernels = (
        "gates/kernel",
        "candidate/input_projection/kernel",
        "candidate/hidden_projection/kernel",
    )
    biases = (
        "gates/bias",
        "candidate/input_projection/bias",
        "candidate/hidden_projection/bias",
    )


class CudnnRNNTanhSaveable(_Saveable):
    """`CudnnRNNTanh`'s weights as those of `BasicRNNCell`."""

    converter = _formats.CudnnParamsFormatConverterTanh
    cell = "basic_rnn_cell"


class CudnnRNNReluSaveable(_Saveable):
    """`CudnnRNNRelu`'s weights as those of `BasicRNNCell`."""

    converter = _formats.CudnnParamsFormatConverterRelu
    cell = "basic_rnn_cell"
