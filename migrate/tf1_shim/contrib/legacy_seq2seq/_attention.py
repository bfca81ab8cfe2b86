"""``tf.contrib.legacy_seq2seq``: decoders with attention."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.legacy_seq2seq._decoders import Loop, _copy, _feed_back, _maybe_fed
from migrate.tf1_shim.contrib.rnn import EmbeddingWrapper, OutputProjectionWrapper
from migrate.tf1_shim.contrib.rnn._linear import linear

__all__ = ["attention_decoder", "embedding_attention_decoder", "embedding_attention_seq2seq"]


def attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: Loop | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Run a cell over a list of inputs, attending to the encoder (arXiv:1412.7449).

    Args:
      decoder_inputs: A list of (batch, size).
      initial_state: The cell's first state.
      attention_states: (batch, length, size) of known length and size.
      cell: The cell.
      output_size: The size of the outputs; by default the cell's.
      num_heads: How many attentions.
      loop_function: From (output, step) to the next input, instead of the list's.
      dtype: The dtype; by default the scope's.
      scope: The variable scope; by default "attention_decoder".
      initial_state_attention: Whether the first attention is computed, or zero.

    Returns:
      The list of outputs, and the final state.

    Raises:
      ValueError: If there are no inputs or heads, or a size is unknown.
    """
    if not decoder_inputs:
        raise ValueError("attention_decoder needs one input or more. Received: none")
    if num_heads < 1:
        raise ValueError(
            f"num_heads must be 1 or more (rnn_decoder has no attention). Received: {num_heads}"
        )
    _, length, size = attention_states.shape.as_list()
    if size is None:
        raise ValueError(
            f"The states to attend to need a known size. Received: {attention_states.shape}"
        )
    output_size = cell.output_size if output_size is None else output_size
    with tf.variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        dtype = entered.dtype
        batch = tf.shape(decoder_inputs[0])[0]
        length = tf.shape(attention_states)[1] if length is None else length
        hidden = tf.reshape(attention_states, [-1, length, 1, size])
        features, scores = [], []
        for head in range(num_heads):
            kernel = tf.get_variable(f"AttnW_{head}", [1, 1, size, size], dtype=dtype)
            features.append(tf.nn.conv2d(hidden, kernel, [1, 1, 1, 1], "SAME"))
            scores.append(tf.get_variable(f"AttnV_{head}", [size], dtype=dtype))

        def attend(query: Any) -> list[Any]:
            found = []
            if tf.nest.is_nested(query):
                query = tf.concat(tf.nest.flatten(query), 1)
            for head in range(num_heads):
                with tf.variable_scope(f"Attention_{head}"):
                    y = tf.reshape(linear(query, size, True), [-1, 1, 1, size])
                    y = tf.cast(y, dtype)
                    s = tf.reduce_sum(scores[head] * tf.tanh(features[head] + y), [2, 3])
                    a = tf.cast(tf.nn.softmax(tf.cast(s, tf.float32)), dtype)
                    d = tf.reduce_sum(tf.reshape(a, [-1, length, 1, 1]) * hidden, [1, 2])
                    found.append(tf.reshape(d, [-1, size]))
            return found

        state, outputs, previous = initial_state, [], None
        attentions = []
        for _ in range(num_heads):
            zeros = tf.zeros(tf.stack([batch, size]), dtype=dtype)
            zeros.set_shape([None, size])
            attentions.append(zeros)
        if initial_state_attention:
            attentions = attend(initial_state)
        for step, given in enumerate(decoder_inputs):
            if step > 0:
                tf.get_variable_scope().reuse_variables()
            if loop_function is not None and previous is not None:
                with tf.variable_scope("loop_function", reuse=True):
                    given = loop_function(previous, step)
            joined = [tf.cast(tensor, dtype) for tensor in (given, *attentions)]
            mixed = linear(joined, given.shape.as_list()[1], True)
            cell_output, state = cell(mixed, state)
            if step == 0 and initial_state_attention:
                with tf.variable_scope(tf.get_variable_scope(), reuse=True):
                    attentions = attend(state)
            else:
                attentions = attend(state)
            with tf.variable_scope("AttnOutputProjection"):
                joined = [tf.cast(tensor, dtype) for tensor in (cell_output, *attentions)]
                output = linear(joined, output_size, True)
            if loop_function is not None:
                previous = output
            outputs.append(output)
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: Any,
    initial_state: Any,
    attention_states: Any,
    cell: Any,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Any = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` over embedded symbols: see there and `embedding_rnn_decoder`.

    Args:
      decoder_inputs: A list of int32 (batch).
      initial_state: The cell's first state.
      attention_states: (batch, length, size).
      cell: The cell.
      num_symbols: How many symbols there are.
      embedding_size: The size of an embedding.
      num_heads: How many attentions.
      output_size: The size of the outputs; by default the cell's.
      output_projection: Weights and biases from an output to symbols, or None.
      feed_previous: Whether to feed back the most likely symbol.
      update_embedding_for_previous: Whether gradients pass through what is fed back.
      dtype: The dtype; by default the scope's.
      scope: The variable scope; by default "embedding_attention_decoder".
      initial_state_attention: Whether the first attention is computed, or zero.

    Returns:
      The list of outputs, and the final state.
    """
    output_size = cell.output_size if output_size is None else output_size
    if output_projection is not None:
        biases = tf.convert_to_tensor(output_projection[1])
        biases.shape.assert_is_compatible_with([num_symbols])
    with tf.variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = tf.get_variable("embedding", [num_symbols, embedding_size])
        loop = (
            _feed_back(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        return attention_decoder(
            [tf.nn.embedding_lookup(embedding, ids) for ids in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop,
            initial_state_attention=initial_state_attention,
        )


def embedding_attention_seq2seq(
    encoder_inputs: Any,
    decoder_inputs: Any,
    cell: Any,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Any = None,
    feed_previous: Any = False,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """An encoder, and a decoder that attends to it, over embedded symbols.

    Args:
      encoder_inputs: A list of int32 (batch).
      decoder_inputs: A list of int32 (batch).
      cell: The cell; the encoder runs a copy of it.
      num_encoder_symbols: How many symbols the encoder knows.
      num_decoder_symbols: How many symbols the decoder knows.
      embedding_size: The size of an embedding.
      num_heads: How many attentions.
      output_projection: Weights and biases from an output to symbols; None to learn one.
      feed_previous: Whether to feed back the most likely symbol; also a bool tensor.
      dtype: The dtype; by default the scope's.
      scope: The variable scope; by default "embedding_attention_seq2seq".
      initial_state_attention: Whether the first attention is computed, or zero.

    Returns:
      The list of outputs, and the final state.
    """
    with tf.variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        dtype = entered.dtype
        encoder = EmbeddingWrapper(
            _copy(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        outputs, state = tf.nn.static_rnn(encoder, encoder_inputs, dtype=dtype)
        tops = [tf.reshape(output, [-1, 1, cell.output_size]) for output in outputs]
        memory = tf.concat(tops, 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feed: bool, update: bool) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs,
                state,
                memory,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention,
            )

        decoded: tuple[list[Any], Any] = _maybe_fed(decode, feed_previous)
        return decoded
