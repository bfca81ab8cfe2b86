"""``tf.contrib.seq2seq``: decoders, the loop around them, and the loss."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn import transpose_batch_time
from migrate.tf1_shim.nn._cell import check_cell, zeros_for

__all__ = [
    "BasicDecoder",
    "BasicDecoderOutput",
    "Decoder",
    "dynamic_decode",
    "sequence_loss",
]


class Decoder:
    """Interface of what makes a sequence step by step."""

    @property
    def batch_size(self) -> Any:
        """The batch size."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of a step's outputs, a nest."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of a step's outputs, the same nest."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs, first state)."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, next state, next inputs, finished)."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """(outputs, state) after the last step."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether a finished sequence may go on, as in a beam search."""
        return False


class BasicDecoderOutput(
    NamedTuple("BasicDecoderOutput", [("rnn_output", Any), ("sample_id", Any)])
):
    """The outputs of the cell (or the output layer), and the samples."""


class BasicDecoder(Decoder):
    """A cell, a helper that gives its inputs, and an output layer."""

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        """Make a decoder.

        Args:
          cell: The cell.
          helper: The helper.
          initial_state: The cell's first state.
          output_layer: A layer applied to the cell's outputs, such as ``layers.Dense(vocab)``.

        Raises:
          TypeError: If the cell is none.
        """
        check_cell("cell", cell)
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        """The helper's."""
        return self._helper.batch_size

    def _rnn_output_size(self) -> Any:
        size = self._cell.output_size
        if self._output_layer is None:
            return size

        def after(one: Any) -> Any:
            rest = tf.TensorShape(one if isinstance(one, (list, tf.TensorShape)) else [one])
            batched = tf.TensorShape([None]).concatenate(rest)
            return self._output_layer.compute_output_shape(batched)[1:]

        return tf.nest.map_structure(after, size)

    @property
    def output_size(self) -> Any:
        """The sizes of `BasicDecoderOutput`."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """The dtypes of `BasicDecoderOutput`."""
        dtype = tf.nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            tf.nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            self._helper.sample_ids_dtype,
        )

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs, first state)."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, next state, next inputs, finished)."""
        with tf.name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, new = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=new)
            finished, following, new = self._helper.next_inputs(
                time=time, outputs=outputs, state=new, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), new, following, finished


def _where(condition: Any, x: Any, y: Any) -> Any:
    return tf.where(condition, x, y)


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Run a decoder until all sequences are finished.

    Args:
      decoder: A `Decoder`.
      output_time_major: Whether the outputs are (time, batch, …).
      impute_finished: Whether the outputs of finished sequences are zeros and their states kept.
      maximum_iterations: The most steps, a number or a scalar tensor.
      parallel_iterations: As for ``tf.while_loop``.
      swap_memory: As for ``tf.while_loop``.
      scope: The variable scope; by default "decoder".
      **kwargs: None: TF1 passed them to the decoders of Keras.

    Returns:
      The outputs, the final state and the lengths (batch).

    Raises:
      TypeError: If it is no `Decoder`, or there are other arguments.
      ValueError: If ``maximum_iterations`` is no scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"dynamic_decode needs a Decoder. Received: {decoder!r}")
    if kwargs:
        raise TypeError(f"Unknown keyword argument: {sorted(kwargs)[0]!r}")
    with tf.variable_scope(scope, "decoder") as varscope:
        if varscope.caching_device is None:
            varscope.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = tf.convert_to_tensor(
                maximum_iterations, dtype=tf.int32, name="maximum_iterations"
            )
            if maximum_iterations.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        batch = decoder.batch_size
        sizes, dtypes = decoder.output_size, decoder.output_dtype
        zeros = tf.nest.map_structure(lambda size, d: zeros_for(size, batch, d), sizes, dtypes)
        if maximum_iterations is not None:
            finished = tf.logical_or(finished, maximum_iterations <= 0)
        lengths = tf.zeros_like(finished, dtype=tf.int32)

        def shape(size: Any) -> Any:
            known = tf.get_static_value(batch) if tf.is_tensor(batch) else batch
            if not isinstance(size, tf.TensorShape) or size.rank == 0:
                return None
            return tf.TensorShape([known]).concatenate(size)

        arrays = tf.nest.map_structure(
            lambda size, d: tf.TensorArray(
                dtype=d, size=0, dynamic_size=True, element_shape=shape(size)
            ),
            sizes,
            dtypes,
        )

        def going(time: Any, arrays: Any, state: Any, inputs: Any, done: Any, length: Any) -> Any:
            del time, arrays, state, inputs, length
            return tf.logical_not(tf.reduce_all(done))

        def body(time: Any, arrays: Any, state: Any, inputs: Any, done: Any, length: Any) -> Any:
            outputs, new, following, now = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                now = tf.logical_or(now, done)
            length = _where(tf.logical_not(done), tf.fill(tf.shape(length), time + 1), length)
            tf.nest.assert_same_structure(state, new)
            tf.nest.assert_same_structure(arrays, outputs)
            emitted = outputs

            def keep(fresh: Any, old: Any) -> Any:
                if isinstance(old, tf.TensorArray):
                    return fresh
                fresh.set_shape(old.shape)
                return fresh if fresh.shape.rank == 0 else _where(done, old, fresh)

            if impute_finished:
                emitted = tf.nest.map_structure(
                    lambda out, zero: _where(done, zero, out), outputs, zeros
                )
                new = tf.nest.map_structure(keep, new, state)
            arrays = tf.nest.map_structure(
                lambda array, out: array.write(time, out), arrays, emitted
            )
            return time + 1, arrays, new, following, now, length

        _, arrays, state, _, _, lengths = tf.while_loop(
            going,
            body,
            loop_vars=(tf.constant(0, dtype=tf.int32), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = tf.nest.map_structure(lambda array: array.stack(), arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = tf.nest.map_structure(transpose_batch_time, outputs)
    return outputs, state, lengths


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of sequences.

    Args:
      logits: (batch, time, classes).
      targets: Integers (batch, time).
      weights: (batch, time): 0 for padding.
      average_across_timesteps: Divide by the weights' sum over time.
      average_across_batch: Divide by the weights' sum over the batch.
      sum_over_timesteps: Sum over time and divide by the count of non-zero weights.
      sum_over_batch: The same over the batch.
      softmax_loss_function: From ``labels`` and ``logits`` to losses, instead of the softmax's.
      name: The name scope; by default "sequence_loss".

    Returns:
      A scalar, or with one average only (time) or (batch), or with none (batch, time).

    Raises:
      ValueError: If a rank does not fit or an average and a sum are asked for.
    """
    if logits.shape.rank != 3:
        raise ValueError(f"logits must be (batch, time, classes). Received: {logits.shape}")
    if targets.shape.rank != 2:
        raise ValueError(f"targets must be (batch, time). Received: {targets.shape}")
    if weights.shape.rank != 2:
        raise ValueError(f"weights must be (batch, time). Received: {weights.shape}")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("Choose average_across_timesteps or sum_over_timesteps, not both")
    if average_across_batch and sum_over_batch:
        raise ValueError("Choose average_across_batch or sum_over_batch, not both")
    with tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        flat = tf.reshape(logits, [-1, tf.shape(logits)[2]])
        labels = tf.reshape(targets, [-1])
        entropy = softmax_loss_function or tf.nn.sparse_softmax_cross_entropy_with_logits
        losses = entropy(labels=labels, logits=flat) * tf.reshape(weights, [-1])
        tiny = tf.constant(1e-12, losses.dtype)
        if average_across_timesteps and average_across_batch:
            return tf.div(tf.reduce_sum(losses), tf.reduce_sum(weights) + tiny)
        if sum_over_timesteps and sum_over_batch:
            count = tf.cast(tf.count_nonzero(weights), losses.dtype)
            return tf.div(tf.reduce_sum(losses), count + tiny)
        losses = tf.reshape(losses, tf.shape(logits)[0:2])
        for average, total, axis in (
            (average_across_timesteps, sum_over_timesteps, 1),
            (average_across_batch, sum_over_batch, 0),
        ):
            if average or total:
                if average:
                    by = tf.reduce_sum(weights, axis=[axis])
                else:
                    by = tf.cast(tf.count_nonzero(weights, axis=[axis]), losses.dtype)
                losses = tf.div(tf.reduce_sum(losses, axis=[axis]), by + tiny)
        return losses
