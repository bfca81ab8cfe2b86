"""``tf.contrib.legacy_seq2seq``: decoders without attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn import EmbeddingWrapper, OutputProjectionWrapper

__all__ = [
    "basic_rnn_seq2seq",
    "embedding_rnn_decoder",
    "embedding_rnn_seq2seq",
    "rnn_decoder",
    "tied_rnn_seq2seq",
]

Loop = Callable[[Any, int], Any]


def _feed_back(embedding: Any, projection: Any, update: bool) -> Loop:
    """A loop function that embeds the most likely symbol of the step before."""

    def loop(previous: Any, _: int) -> Any:
        if projection is not None:
            previous = tf.nn.xw_plus_b(previous, projection[0], projection[1])
        embedded = tf.nn.embedding_lookup(embedding, tf.argmax(previous, 1))
        return embedded if update else tf.stop_gradient(embedded)

    return loop


def rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    loop_function: Loop | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Run a cell over a list of inputs.

    Args:
      decoder_inputs: A list of (batch, size).
      initial_state: The cell's first state.
      cell: The cell.
      loop_function: From (output, step) to the next input, instead of the list's.
      scope: The variable scope; by default "rnn_decoder".

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope(scope or "rnn_decoder"):
        state, outputs, previous = initial_state, [], None
        for step, given in enumerate(decoder_inputs):
            if loop_function is not None and previous is not None:
                with tf.variable_scope("loop_function", reuse=True):
                    given = loop_function(previous, step)
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            output, state = cell(given, state)
            outputs.append(output)
            if loop_function is not None:
                previous = output
    return outputs, state


def basic_rnn_seq2seq(
    encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = tf.float32, scope: Any = None
) -> tuple[list[Any], Any]:
    """An encoder and a decoder of the same kind, with variables of their own.

    Args:
      encoder_inputs: A list of (batch, size).
      decoder_inputs: A list of (batch, size).
      cell: The cell; the encoder runs a copy of it.
      dtype: The dtype of the first state.
      scope: The variable scope; by default "basic_rnn_seq2seq".

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope(scope or "basic_rnn_seq2seq"):
        encoder = _copy(cell)
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    loop_function: Loop | None = None,
    dtype: Any = tf.float32,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder that share their variables.

    Args:
      encoder_inputs: A list of (batch, size).
      decoder_inputs: A list of (batch, size).
      cell: The cell.
      loop_function: From (output, step) to the next input, instead of the list's.
      dtype: The dtype of the first state.
      scope: The variable scope; by default "combined_tied_rnn_seq2seq".

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = tf.nn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        tf.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def _copy(cell: Any) -> Any:
    """A cell that makes variables of its own, where the given one is not used yet."""
    import copy

    return copy.deepcopy(cell)


def embedding_rnn_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Run a cell over embedded symbols.

    Args:
      decoder_inputs: A list of int32 (batch).
      initial_state: The cell's first state.
      cell: The cell.
      num_symbols: How many symbols there are.
      embedding_size: The size of an embedding.
      output_projection: Weights and biases from an output to symbols, or None.
      feed_previous: Whether to feed back the most likely symbol; only the first input counts.
      update_embedding_for_previous: Whether gradients pass through what is fed back.
      scope: The variable scope; by default "embedding_rnn_decoder".

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope(scope or "embedding_rnn_decoder") as entered:
        if output_projection is not None:
            _check_projection(output_projection, num_symbols, entered.dtype)
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = (
            _feed_back(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        embedded = [tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs]
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop)


def _check_projection(projection: Any, num_symbols: int, dtype: Any) -> None:
    weights = tf.convert_to_tensor(projection[0], dtype=dtype)
    weights.shape.assert_is_compatible_with([None, num_symbols])
    biases = tf.convert_to_tensor(projection[1], dtype=dtype)
    biases.shape.assert_is_compatible_with([num_symbols])


def _maybe_fed(decode: Callable[[bool, bool], tuple[list[Any], Any]], feed_previous: Any) -> Any:
    """Decode, with feeding back decided by a bool or in the session by a tensor.

    As in TF1, no gradients pass through what is fed back if a tensor decides.
    """
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)
    structure: list[Any] = []

    def branch(feed: bool, reuse: bool | None) -> Callable[[], list[Any]]:
        def build() -> list[Any]:
            with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
                outputs, state = decode(feed, False)
                structure.append((len(outputs), state))
                return outputs + tf.nest.flatten(state)

        return build

    flat = tf.cond(feed_previous, branch(True, None), branch(False, True))
    count, state = structure[0]
    return flat[:count], tf.nest.pack_sequence_as(state, flat[count:])


def embedding_rnn_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """An encoder and a decoder over embedded symbols.

    Args:
      encoder_inputs: A list of int32 (batch).
      decoder_inputs: A list of int32 (batch).
      cell: The cell; the encoder runs a copy of it.
      num_encoder_symbols: How many symbols the encoder knows.
      num_decoder_symbols: How many symbols the decoder knows.
      embedding_size: The size of an embedding.
      output_projection: Weights and biases from an output to symbols; None to learn one.
      feed_previous: Whether to feed back the most likely symbol; also a bool tensor.
      dtype: The dtype of the first state; by default the scope's.
      scope: The variable scope; by default "embedding_rnn_seq2seq".

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        dtype = dtype or entered.dtype
        encoder = EmbeddingWrapper(
            _copy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        _, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed: bool, update: bool) -> tuple[list[Any], Any]:
            return embedding_rnn_decoder(
                decoder_inputs,
                state,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=update,
            )

        outputs: tuple[list[Any], Any] = _maybe_fed(decode, feed_previous)
        return outputs
