"""The part of ``tf.nn`` that TF 2.21 lost: ``tf.nn.rnn_cell``, and static shapes.

``conv2d_transpose`` and ``atrous_conv2d_transpose`` of TF 2.21 take the size of the batch from
their input; these tell the whole of ``output_shape``, as TF 1 did.

``dynamic_rnn``, ``static_rnn``, ``bidirectional_dynamic_rnn`` and ``raw_rnn`` still exist in
``tf.compat.v1.nn`` and take the cells of this package.
"""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy

__all__ = ["atrous_conv2d_transpose", "conv2d_transpose", "rnn_cell"]

_others = _lazy.attributes(__name__, ("rnn_cell",), "tf.nn", {})


def __getattr__(name: str) -> Any:
    if name in ("atrous_conv2d_transpose", "conv2d_transpose"):
        from migrate.tf1_shim.nn import _transposed

        return getattr(_transposed, name)
    return _others(name)
