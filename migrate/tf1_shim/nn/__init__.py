"""The part of ``tf.nn`` that TF 2.21 lost: ``tf.nn.rnn_cell``.

``dynamic_rnn``, ``static_rnn``, ``bidirectional_dynamic_rnn`` and ``raw_rnn`` still exist in
``tf.compat.v1.nn`` and take the cells of this package.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["rnn_cell"]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.nn", {})
