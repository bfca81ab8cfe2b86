"""``tensorflow.python.ops.rnn_cell_impl``: the helpers that it had between TF 1.1 and 1.4 too.

The cells are in `migrate.tf1_shim.nn.rnn_cell`.
"""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.rnn._linear import linear as _linear
from migrate.tf1_shim.nn.rnn_cell import RNNCell as _RNNCell
from migrate.tf1_shim.private.core_rnn_cell import _Linear

__all__ = ["_Linear", "_RNNCell", "_like_rnncell", "_linear"]

__getattr__ = _lazy.attributes(__name__, (), "tensorflow.python.ops.rnn_cell_impl")


def _like_rnncell(cell: Any) -> bool:
    """Whether an object can be used as a cell: called, with sizes and a zero state.

    Args:
      cell: Any object.

    Returns:
      True if it has `output_size`, `state_size` and `zero_state`, and can be called.
    """
    return callable(cell) and all(
        hasattr(cell, name) for name in ("output_size", "state_size", "zero_state")
    )
