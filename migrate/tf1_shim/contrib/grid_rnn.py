"""``tf.contrib.grid_rnn``: cells with several dimensions (arXiv:1507.01526)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.layers import fully_connected, xavier_initializer
from migrate.tf1_shim.nn._cell import BasicRNNCell, GRUCell, RNNCell
from migrate.tf1_shim.nn._lstm import BasicLSTMCell, LSTMCell

__all__ = [
    "Grid1BasicLSTMCell",
    "Grid1BasicRNNCell",
    "Grid1LSTMCell",
    "Grid2BasicLSTMCell",
    "Grid2BasicRNNCell",
    "Grid2GRUCell",
    "Grid2LSTMCell",
    "Grid3LSTMCell",
    "GridRNNCell",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.grid_rnn")


def _dims(given: Any, count: int) -> list[int]:
    """Dimensions as a sorted list.

    Raises:
      ValueError: If there is no such dimension.
    """
    if given is None:
        return []
    found = sorted(set(given if isinstance(given, (list, tuple)) else [given]))
    if any(dim < 0 or dim >= count for dim in found):
        raise ValueError(f"Invalid dims: {found}. Must be in [0, {count})")
    return found


class GridRNNCell(RNNCell):
    """A cell for each dimension; each sees the outputs of the others.

    Variables, below the scope or the class's name: ``project_m_0``, ``project_c_0`` for inputs, and
    the cells' below ``recurrent/cell_0`` … (``recurrent`` if tied) or ``non_recurrent/cell_0`` ….
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: Any = None,
        output_dims: Any = None,
        priority_dims: Any = None,
        non_recurrent_dims: Any = None,
        tied: bool = False,
        cell_fn: Callable[[int], Any] | None = None,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          num_dims: The number of dimensions.
          input_dims: Those that get the inputs, a number or a list; None for none.
          output_dims: Those whose outputs are the cell's.
          priority_dims: Those that run after the others, and see their new outputs.
          non_recurrent_dims: Those that are dense layers without a state.
          tied: Whether all have the same weights.
          cell_fn: From the number of units to a cell; by default `LSTMCell`.
          non_recurrent_fn: The activation of the dense layers; by default the rectifier.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.

        Raises:
          TypeError: If ``cell_fn`` makes no cell.
          ValueError: If a dimension does not exist.
        """
        super().__init__()
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._num_units, self._num_dims, self._tied = num_units, num_dims, tied
        self._inputs = _dims(input_dims, num_dims)
        self._outputs = _dims(output_dims, num_dims)
        self._priority = _dims(priority_dims, num_dims)
        self._dense = _dims(non_recurrent_dims, num_dims)
        self._recurrent = [dim for dim in range(num_dims) if dim not in self._dense]
        self._activation = non_recurrent_fn or tf.nn.relu
        self._state_is_tuple, self._output_is_tuple = state_is_tuple, output_is_tuple
        make = (
            functools.partial(LSTMCell, num_units=num_units, state_is_tuple=state_is_tuple)
            if cell_fn is None
            else functools.partial(cell_fn, num_units)
        )
        self._cells = [make()] * num_dims if tied else [make() for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}")

    def _total(self) -> int:
        """The size of one cell's state."""
        sizes = self._cells[0].state_size
        return sum(sizes) if isinstance(sizes, tuple) else sizes

    @property
    def output_size(self) -> Any:
        """The outputs' sizes, a tuple or their sum."""
        size = self._cells[0].output_size
        count = len(self._outputs)
        return (size,) * count if self._output_is_tuple else size * count

    @property
    def state_size(self) -> Any:
        """The states' sizes, a tuple or their sum."""
        count = len(self._recurrent)
        if self._state_is_tuple:
            return (self._cells[0].state_size,) * count
        return self._total() * count

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run the cell for one step: see `RNNCell`."""
        c, m = self._split(state)
        outputs: list[Any] = [None] * self._num_dims
        states: list[Any] = [None] * self._num_dims
        with tf.variable_scope(scope or type(self).__name__):
            self._project(inputs, c, m)
            first = [dim for dim in range(self._num_dims) if dim not in self._priority]
            made: list[str] = []
            self._propagate(first, c, m, outputs, states, made)
            self._propagate(self._priority, c, m, outputs, states, made)
            chosen = [outputs[dim] for dim in self._outputs]
            kept = [states[dim] for dim in self._recurrent]
            output: Any = tuple(chosen)
            if not self._output_is_tuple:
                output = tf.concat(chosen, 1) if chosen else tf.zeros([0, 0], inputs.dtype)
            new: Any = tuple(kept)
            if not self._state_is_tuple:
                flat = [part for one in kept for part in (one if _nested(one) else [one])]
                new = tf.concat(flat, 1) if flat else tf.zeros([0, 0], inputs.dtype)
        return output, new

    def _split(self, state: Any) -> tuple[list[Any], list[Any]]:
        """The memories and the outputs of all dimensions, None where there is none."""
        c: list[Any] = [None] * self._num_dims
        m: list[Any] = [None] * self._num_dims
        units, total = self._num_units, self._total()
        if self._state_is_tuple and len(self._recurrent) != len(state):
            raise ValueError(f"Expected state as a tuple of {len(self._recurrent)} element")
        for n, dim in enumerate(self._recurrent):
            if self._state_is_tuple:
                one = state[n]
                c[dim], m[dim] = one if total > units else (None, one)
            elif total > units:
                c[dim] = tf.slice(state, [0, n * total], [-1, units])
                m[dim] = tf.slice(state, [0, n * total + units], [-1, total - units])
            else:
                m[dim] = tf.slice(state, [0, n * total], [-1, units])
        return c, m

    def _project(self, inputs: Any, c: list[Any], m: list[Any]) -> None:
        """Put the inputs in the place of the states of their dimensions."""
        if inputs is None or not self._inputs:
            return
        if isinstance(inputs, tuple):
            if len(self._inputs) != len(inputs):
                raise ValueError(f"Expect inputs as a tuple of {len(self._inputs)} tensors")
            parts = list(inputs)
        elif inputs.shape.with_rank(2).as_list()[1] == 0:
            return
        else:
            parts = tf.split(inputs, len(self._inputs), axis=1)
        shape = [parts[0].shape.as_list()[1], self._num_units]
        for part, dim in zip(parts, self._inputs, strict=True):
            kernel = tf.get_variable(f"project_m_{dim}", shape, dtype=part.dtype)
            m[dim] = tf.matmul(part, kernel)
            if self._total() > self._num_units:
                kernel = tf.get_variable(f"project_c_{dim}", shape, dtype=part.dtype)
                c[dim] = tf.matmul(part, kernel)

    def _propagate(
        self,
        dims: list[int],
        c: list[Any],
        m: list[Any],
        outputs: list[Any],
        states: list[Any],
        made: list[str],
    ) -> None:
        """Run some dimensions; tied ones reuse what the first one made."""
        if not dims:
            return
        seen = [m[i] if out is None else out for i, out in enumerate(outputs)]
        last = seen[-1]
        if self._num_dims > 1:
            joined = tf.concat(seen[:-1], 1)
        else:
            joined = tf.zeros([m[0].shape.as_list()[0], 0], m[0].dtype)
        for dim in dims:
            kind = "non_recurrent" if dim in self._dense else "recurrent"
            with tf.variable_scope(kind if self._tied else f"{kind}/cell_{dim}"):
                if self._tied and made:
                    tf.get_variable_scope().reuse_variables()
                made.append(kind)
                if dim in self._dense:
                    both = tf.concat([joined, last], 1) if self._num_dims > 1 else last
                    scope = tf.get_variable_scope()
                    outputs[dim] = fully_connected(
                        both,
                        num_outputs=self._num_units,
                        activation_fn=self._activation,
                        weights_initializer=scope.initializer or xavier_initializer(),
                        weights_regularizer=scope.regularizer,
                    )
                    continue
                state = last if c[dim] is None else (c[dim], last)
                outputs[dim], states[dim] = self._cells[dim](joined, state)


def _nested(value: Any) -> bool:
    return isinstance(value, (list, tuple))


class _Named(GridRNNCell):
    """A grid whose first dimension has inputs, outputs and priority."""

    def __init__(
        self, num_units: int, num_dims: int, cell: Any, state: bool, output: bool, **more: Any
    ) -> None:
        activation = more.get("non_recurrent_fn")
        super().__init__(
            num_units=num_units,
            num_dims=num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if activation is None else 0,
            cell_fn=cell,
            state_is_tuple=state,
            output_is_tuple=output,
            **more,
        )


class Grid1BasicRNNCell(_Named):
    """A grid of one dimension of `BasicRNNCell`."""

    def __init__(
        self,
        num_units: int,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            1,
            lambda units: BasicRNNCell(units),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2BasicRNNCell(_Named):
    """A grid of two dimensions of `BasicRNNCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          tied: Whether all dimensions have the same weights.
          non_recurrent_fn: Makes the first dimension a dense layer with this activation.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            2,
            lambda units: BasicRNNCell(units),
            state_is_tuple,
            output_is_tuple,
            tied=tied,
            non_recurrent_fn=non_recurrent_fn,
        )


class Grid1BasicLSTMCell(_Named):
    """A grid of one dimension of `BasicLSTMCell`."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          forget_bias: Added to the forget gates when the cells run.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            1,
            lambda units: BasicLSTMCell(units, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2BasicLSTMCell(_Named):
    """A grid of two dimensions of `BasicLSTMCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          tied: Whether all dimensions have the same weights.
          non_recurrent_fn: Makes the first dimension a dense layer with this activation.
          forget_bias: Added to the forget gates when the cells run.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            2,
            lambda units: BasicLSTMCell(units, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
            tied=tied,
            non_recurrent_fn=non_recurrent_fn,
        )


class Grid1LSTMCell(_Named):
    """A grid of one dimension of `LSTMCell`."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          use_peepholes: Whether the gates see the memory.
          forget_bias: Added to the forget gates when the cells run.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            1,
            lambda units: LSTMCell(units, use_peepholes=use_peepholes, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
        )


class Grid2LSTMCell(_Named):
    """A grid of two dimensions of `LSTMCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          tied: Whether all dimensions have the same weights.
          non_recurrent_fn: Makes the first dimension a dense layer with this activation.
          use_peepholes: Whether the gates see the memory.
          forget_bias: Added to the forget gates when the cells run.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            2,
            lambda units: LSTMCell(units, use_peepholes=use_peepholes, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
            tied=tied,
            non_recurrent_fn=non_recurrent_fn,
        )


class Grid3LSTMCell(_Named):
    """A grid of three dimensions of `LSTMCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          tied: Whether all dimensions have the same weights.
          non_recurrent_fn: Makes the first dimension a dense layer with this activation.
          use_peepholes: Whether the gates see the memory.
          forget_bias: Added to the forget gates when the cells run.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            3,
            lambda units: LSTMCell(units, use_peepholes=use_peepholes, forget_bias=forget_bias),
            state_is_tuple,
            output_is_tuple,
            tied=tied,
            non_recurrent_fn=non_recurrent_fn,
        )


class Grid2GRUCell(_Named):
    """A grid of two dimensions of `GRUCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Any = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        """Make the cell.

        Args:
          num_units: The units of each dimension.
          tied: Whether all dimensions have the same weights.
          non_recurrent_fn: Makes the first dimension a dense layer with this activation.
          state_is_tuple: Whether the state is a tuple, or all concatenated.
          output_is_tuple: Whether the output is a tuple, or all concatenated.
        """
        super().__init__(
            num_units,
            2,
            lambda units: GRUCell(units),
            state_is_tuple,
            output_is_tuple,
            tied=tied,
            non_recurrent_fn=non_recurrent_fn,
        )
