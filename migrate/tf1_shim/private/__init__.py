"""What programs took from TensorFlow's private modules, where nothing public does the same.

The modules are called as the last part of TensorFlow's path: `_linear` of
``tensorflow.contrib.rnn.python.ops.core_rnn_cell`` is in `core_rnn_cell`.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = [
    "attention_wrapper",
    "audio_ops",
    "core_rnn_cell",
    "core_rnn_cell_impl",
    "rnn_cell_impl",
    "seq2seq_helper",
    "training_ops",
]

__getattr__ = _lazy.attributes(__name__, __all__, "tensorflow.python")
