"""``tf.contrib.rnn``: stacks of bidirectional layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "best_effort_input_batch_size",
    "stack_bidirectional_dynamic_rnn",
    "stack_bidirectional_rnn",
    "static_bidirectional_rnn",
    "static_rnn",
    "static_state_saving_rnn",
    "transpose_batch_time",
]

static_rnn = tf.nn.static_rnn
static_bidirectional_rnn = tf.nn.static_bidirectional_rnn
static_state_saving_rnn = tf.nn.static_state_saving_rnn


def transpose_batch_time(x: Any) -> Any:
    """Swap the first two axes, as far as the rank is known.

    Args:
      x: A tensor.

    Returns:
      The tensor, unchanged if its rank is known and below two.

    Raises:
      ValueError: If the rank is below two.
    """
    x = tf.convert_to_tensor(x)
    rank = x.shape.rank
    if rank is not None and rank < 2:
        raise ValueError(
            f"Expected input tensor {x} to have rank at least 2, but saw shape: {x.shape}"
        )
    if rank is None:
        turned = tf.transpose(x, tf.concat([[1, 0], tf.range(2, tf.rank(x))], axis=0))
    else:
        turned = tf.transpose(x, [1, 0, *range(2, rank)])
    if rank is not None:
        sizes = x.shape.as_list()
        turned.set_shape([sizes[1], sizes[0], *sizes[2:]])
    return turned


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """The batch size of time-major inputs: a number if it is known, else a tensor.

    Raises:
      ValueError: If an input has a known rank below two.
    """
    for tensor in flat_input:
        if tensor.shape.rank is None:
            continue
        if tensor.shape.rank < 2:
            raise ValueError(f"Expected input tensor {tensor.name} to have rank at least 2")
        size = tensor.shape.as_list()[1]
        if size is not None:
            return size
    return tf.shape(flat_input[0])[1]


def _check(cells_fw: Any, cells_bw: Any, first_fw: Any, first_bw: Any) -> None:
    for name, cells in (("cells_fw", cells_fw), ("cells_bw", cells_bw)):
        if not isinstance(cells, list) or not cells:
            raise ValueError(f"{name} must have a cell for each layer. Received: {cells!r}")
    if len(cells_fw) != len(cells_bw):
        raise ValueError(
            "There must be as many cells forward as backward. Received: "
            f"{len(cells_fw)} and {len(cells_bw)}"
        )
    for name, states in (("initial_states_fw", first_fw), ("initial_states_bw", first_bw)):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f"{name} must have a state for each layer. Received: {states!r}")


def _stacked(
    run: Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any]],
    cells_fw: Sequence[Any],
    cells_bw: Sequence[Any],
    inputs: Any,
    first_fw: Any,
    first_bw: Any,
) -> tuple[Any, Any, Any]:
    states_fw, states_bw = [], []
    for number, (fw, bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
        start_fw = first_fw[number] if first_fw else None
        start_bw = first_bw[number] if first_bw else None
        with tf.variable_scope(f"cell_{number}"):
            inputs, state_fw, state_bw = run(fw, bw, inputs, start_fw, start_bw)
        states_fw.append(state_fw)
        states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Bidirectional layers on top of each other, over a list of inputs.

    Args:
      cells_fw: The forward cells, one for each layer.
      cells_bw: The backward cells, one for each layer.
      inputs: The list of inputs, each (batch, size).
      initial_states_fw: The first states of the forward cells.
      initial_states_bw: The first states of the backward cells.
      dtype: The dtype of the first states, if they are not given.
      sequence_length: The lengths of the sequences.
      scope: The variable scope; by default "stack_bidirectional_rnn".

    Returns:
      The outputs, both directions concatenated, and the tuples of the forward and the backward
      final states.

    Raises:
      ValueError: If the lists do not fit together.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)

    def run(fw: Any, bw: Any, values: Any, start_fw: Any, start_bw: Any) -> Any:
        return tf.nn.static_bidirectional_rnn(
            fw,
            bw,
            values,
            start_fw,
            start_bw,
            sequence_length=sequence_length,
            dtype=dtype,
            scope=tf.get_variable_scope(),
        )

    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        return _stacked(run, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Any,
    initial_states_fw: list[Any] | None = None,
    initial_states_bw: list[Any] | None = None,
    dtype: Any = None,
    sequence_length: Any = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Bidirectional layers on top of each other, over one tensor of inputs.

    Args:
      cells_fw: The forward cells, one for each layer.
      cells_bw: The backward cells, one for each layer.
      inputs: (batch, time, size), or (time, batch, size) if ``time_major``.
      initial_states_fw: The first states of the forward cells.
      initial_states_bw: The first states of the backward cells.
      dtype: The dtype of the first states, if they are not given.
      sequence_length: The lengths of the sequences.
      parallel_iterations: As for ``tf.nn.dynamic_rnn``.
      time_major: Whether the time comes first.
      scope: The variable scope; by default "stack_bidirectional_rnn".
      swap_memory: As for ``tf.nn.dynamic_rnn``.

    Returns:
      The outputs, both directions concatenated, and the tuples of the forward and the backward
      final states.

    Raises:
      ValueError: If the lists do not fit together.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)

    def run(fw: Any, bw: Any, values: Any, start_fw: Any, start_bw: Any) -> Any:
        outputs, (state_fw, state_bw) = tf.nn.bidirectional_dynamic_rnn(
            fw,
            bw,
            values,
            initial_state_fw=start_fw,
            initial_state_bw=start_bw,
            sequence_length=sequence_length,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            time_major=time_major,
            swap_memory=swap_memory,
        )
        return tf.concat(outputs, 2), state_fw, state_bw

    with tf.variable_scope(scope or "stack_bidirectional_rnn"):
        return _stacked(run, cells_fw, cells_bw, inputs, initial_states_fw, initial_states_bw)
