"""``tf.nn.rnn_cell``: recurrent cells, which TF 2.21 refuses to make.

The cells go into ``tf.compat.v1.nn.dynamic_rnn``, ``static_rnn``, ``bidirectional_dynamic_rnn``
and ``raw_rnn``, and name their variables as TF1 did: ``rnn/basic_lstm_cell/kernel`` …
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.nn._cell import BasicRNNCell, GRUCell, RNNCell
from migrate.tf1_shim.nn._lstm import BasicLSTMCell, LSTMCell, LSTMStateTuple
from migrate.tf1_shim.nn._multi import MultiRNNCell
from migrate.tf1_shim.nn._wrappers import DeviceWrapper, DropoutWrapper, ResidualWrapper

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "GRUCell",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "RNNCell",
    "ResidualWrapper",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.nn.rnn_cell")
