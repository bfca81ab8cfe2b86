"""``tf.contrib.rnn``: cells around cells, with variables of their own."""

from __future__ import annotations

import math
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import activation as function
from migrate.tf1_shim.contrib.rnn._linear import linear
from migrate.tf1_shim.nn._cell import RNNCell, check_cell

__all__ = [
    "AttentionCellWrapper",
    "EmbeddingWrapper",
    "HighwayWrapper",
    "InputProjectionWrapper",
    "OutputProjectionWrapper",
]


class _Around(RNNCell):
    """A cell around a cell, with variables of its own."""

    def __init__(self, cell: Any, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        check_cell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """The cell's."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The cell's."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """The cell's."""
        with tf.name_scope(type(self).__name__ + "ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class InputProjectionWrapper(_Around):
    """A linear map before a cell."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: Any = None,
        reuse: bool | None = None,
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          num_proj: The size to project the inputs to.
          activation: The activation after it; None for none.
          input_size: Deprecated in TF1; anything but None is warned of and not used.
          reuse: Whether to reuse the variables of the scope.
        """
        super().__init__(cell, reuse)
        if input_size is not None:
            tf.logging.warning("%s: The input_size parameter is deprecated.", self)
        self._num_proj = num_proj
        self._activation = function(activation)

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        projected = linear(inputs, self._num_proj, True)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(_Around):
    """A linear map after a cell."""

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: bool | None = None
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          output_size: The size to project the outputs to.
          activation: The activation after it; None for none.
          reuse: Whether to reuse the variables of the scope.

        Raises:
          ValueError: If the size is below one.
        """
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = function(activation)

    @property
    def output_size(self) -> Any:
        """The projected size."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        output, new = self._cell(inputs, state)
        projected = linear(output, self._output_size, True)
        return (self._activation(projected) if self._activation else projected), new


class EmbeddingWrapper(_Around):
    """An embedding before a cell, the variable ``embedding``."""

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: bool | None = None,
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          embedding_classes: How many symbols there are.
          embedding_size: The size of an embedding.
          initializer: For the table; by default the scope's, else uniform with deviation 1.
          reuse: Whether to reuse the variables of the scope.

        Raises:
          ValueError: If a size is below one.
        """
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "embedding_classes and embedding_size must be positive. Received: "
                f"{embedding_classes} and {embedding_size}"
            )
        self._classes, self._size = embedding_classes, embedding_size
        self._initializer = initializer

    def call(self, inputs: Any, state: Any) -> Any:
        """One step over ids (batch) or (batch, 1)."""
        with tf.device("/cpu:0"):
            bound = math.sqrt(3)
            start = (
                self._initializer
                or tf.get_variable_scope().initializer
                or tf.random_uniform_initializer(-bound, bound)
            )
            dtype = tf.nest.flatten(state)[0].dtype
            table = tf.get_variable(
                "embedding", [self._classes, self._size], initializer=start, dtype=dtype
            )
            embedded = tf.nn.embedding_lookup(table, tf.reshape(inputs, [-1]))
        return self._cell(embedded, state)


class HighwayWrapper(_Around):
    """A highway around a cell (arXiv:1505.00387): gates mix its inputs and its outputs."""

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell, whose outputs have the size of its inputs.
          couple_carry_transform_gates: Whether one gate is one minus the other.
          carry_bias_init: Where the carry gate's bias starts.
        """
        super().__init__(cell)
        self._couple = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _gate(self, inputs: Any, name: str, start: float) -> Any:
        size = inputs.shape.as_list()[1]
        weight = tf.get_variable(f"{name}_w", [size, size])
        bias = tf.get_variable(f"{name}_b", [size], initializer=tf.constant_initializer(start))
        return tf.sigmoid(tf.nn.xw_plus_b(inputs, weight, bias))

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Run the cell for one step: see `RNNCell`."""
        outputs, new = self._cell(inputs, state, scope=scope)
        tf.nest.assert_same_structure(inputs, outputs)

        def highway(given: Any, made: Any) -> Any:
            carry = self._gate(given, "carry", self._carry_bias_init)
            if self._couple:
                transform = 1 - carry
            else:
                transform = self._gate(given, "transform", -self._carry_bias_init)
            return given * carry + made * transform

        return tf.nest.map_structure(highway, inputs, outputs), new


class AttentionCellWrapper(_Around):
    """Attention of a cell to its own last outputs (arXiv:1409.0473)."""

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        """Wrap a cell.

        Args:
          cell: The cell.
          attn_length: How many outputs it attends to.
          attn_size: The size of an output; by default the cell's.
          attn_vec_size: The size of the scores' hidden layer; by default ``attn_size``.
          input_size: The size of what goes into the cell; by default that of the inputs.
          state_is_tuple: Whether the state is a tuple, or all of it concatenated.
          reuse: Whether to reuse the variables of the scope.

        Raises:
          ValueError: If the length is below one or the cell's state does not fit.
        """
        super().__init__(cell, reuse)
        if tf.nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "A cell whose state is a tuple needs state_is_tuple=True. Received: a cell with "
                f"the state size {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length must be positive. Received: {attn_length}")
        self._length = attn_length
        self._size = cell.output_size if attn_size is None else attn_size
        self._vec_size = self._size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """(the cell's, the attention's, that of the outputs kept), or their sum."""
        sizes = (self._cell.state_size, self._size, self._size * self._length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The attention's."""
        return self._size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros."""
        return RNNCell.zero_state(self, batch_size, dtype)

    def _attend(self, query: Any, kept: Any) -> Any:
        with tf.variable_scope("attention"):
            k = tf.get_variable("attn_w", [1, 1, self._size, self._vec_size])
            v = tf.get_variable("attn_v", [self._vec_size])
            hidden = tf.reshape(kept, [-1, self._length, 1, self._size])
            features = tf.nn.conv2d(hidden, k, [1, 1, 1, 1], "SAME")
            y = tf.reshape(linear(query, self._vec_size, True), [-1, 1, 1, self._vec_size])
            weights = tf.nn.softmax(tf.reduce_sum(v * tf.tanh(features + y), [2, 3]))
            seen = tf.reduce_sum(tf.reshape(weights, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(seen, [-1, self._size])

    def call(self, inputs: Any, state: Any) -> Any:
        """One step."""
        if self._state_is_tuple:
            state, attention, kept = state
        else:
            sizes = [self._cell.state_size, self._size, self._size * self._length]
            state, attention, kept = tf.split(state, sizes, axis=1)
        kept = tf.reshape(kept, [-1, self._length, self._size])
        size = self._input_size or inputs.shape.as_list()[1]
        inputs = linear([inputs, attention], size, True)
        output, new = self._cell(inputs, state)
        query = tf.concat(tf.nest.flatten(new), 1) if self._state_is_tuple else new
        attention = self._attend(query, kept)
        with tf.variable_scope("attn_output_projection"):
            output = linear([output, attention], self._size, True)
        kept = tf.concat([kept[:, 1:, :], tf.expand_dims(output, 1)], 1)
        kept = tf.reshape(kept, [-1, self._length * self._size])
        parts = (new, attention, kept)
        return output, parts if self._state_is_tuple else tf.concat(list(parts), 1)
