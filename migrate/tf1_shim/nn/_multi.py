"""Recurrent cells on top of each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.layers import Layer
from migrate.tf1_shim.nn._cell import RNNCell, check_cell

__all__ = ["MultiRNNCell"]


class MultiRNNCell(RNNCell):
    """Cells on top of each other: the output of one is the input of the next.

    Their variables stand in ``multi_rnn_cell/cell_0/…``, ``cell_1/…``.
    """

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        """Stack cells.

        Args:
          cells: The cells from the bottom up, each an object of its own.
          state_is_tuple: Whether the state is the tuple of the cells' states, or all of them
            concatenated along the last axis.

        Raises:
          ValueError: If there are no cells, or a cell's state is a tuple while this one's is not.
          TypeError: If ``cells`` is no list or tuple.
        """
        super().__init__()
        if not cells:
            raise ValueError(f"MultiRNNCell needs one cell or more. Received: {cells!r}")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list of cells. Received: {cells!r}")
        for number, cell in enumerate(cells):
            check_cell(f"cells[{number}]", cell)
        self._cells = tuple(cells)
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(tf.nest.is_nested(c.state_size) for c in self._cells):
            raise ValueError(
                "Cells whose states are tuples need state_is_tuple=True. Received: cells with "
                f"the state sizes {[c.state_size for c in self._cells]}"
            )

    @property
    def state_size(self) -> Any:
        """The tuple of the cells' state sizes, or their sum."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The topmost cell's."""
        return self._cells[-1].output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The tuple of the cells' zero states, or zeros for the concatenation."""
        with tf.name_scope(type(self).__name__ + "ZeroState"):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self) -> list[Any]:
        """The cells' trainable variables."""
        if not self.trainable:
            return []
        return [v for c in self._cells if isinstance(c, Layer) for v in c.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The cells' other variables; all of them if this one is not trainable."""
        layers = [cell for cell in self._cells if isinstance(cell, Layer)]
        other = [v for cell in layers for v in cell.non_trainable_weights]
        if self.trainable:
            return other
        return [v for cell in layers for v in cell.trainable_weights] + other

    def call(self, inputs: Any, state: Any) -> Any:
        """One step through all cells."""
        at, new = 0, []
        for number, cell in enumerate(self._cells):
            with tf.variable_scope(f"cell_{number}"):
                if self._state_is_tuple:
                    if len(state) != len(self.state_size):
                        raise ValueError(
                            f"The state must have {len(self.state_size)} parts, one for each "
                            f"cell. Received: {state!r}"
                        )
                    current = state[number]
                else:
                    current = tf.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, made = cell(inputs, current)
                new.append(made)
        return inputs, tuple(new) if self._state_is_tuple else tf.concat(new, 1)
