"""``tf.contrib.cudnn_rnn``: cuDNN's layers, computed by TensorFlow's operations on any device."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.cudnn_rnn._cells import (
    CudnnCompatibleGRUCell,
    CudnnCompatibleLSTMCell,
)
from migrate.tf1_shim.contrib.cudnn_rnn._formats import (
    CudnnParamsFormatConverterGRU,
    CudnnParamsFormatConverterLSTM,
    CudnnParamsFormatConverterRelu,
    CudnnParamsFormatConverterTanh,
)
from migrate.tf1_shim.contrib.cudnn_rnn._layers import (
    CudnnGRU,
    CudnnLSTM,
    CudnnRNNRelu,
    CudnnRNNTanh,
)
from migrate.tf1_shim.contrib.cudnn_rnn._saveable import (
    CudnnGRUSaveable,
    CudnnLSTMSaveable,
    CudnnRNNReluSaveable,
    CudnnRNNTanhSaveable,
)

__all__ = [
    "CudnnCompatibleGRUCell",
    "CudnnCompatibleLSTMCell",
    "CudnnGRU",
    "CudnnGRUSaveable",
    "CudnnLSTM",
    "CudnnLSTMSaveable",
    "CudnnParamsFormatConverterGRU",
    "CudnnParamsFormatConverterLSTM",
    "CudnnParamsFormatConverterRelu",
    "CudnnParamsFormatConverterTanh",
    "CudnnRNNRelu",
    "CudnnRNNReluSaveable",
    "CudnnRNNTanh",
    "CudnnRNNTanhSaveable",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.cudnn_rnn")
