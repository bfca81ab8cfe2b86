"""``tensorflow.contrib.seq2seq.python.ops.attention_wrapper``: the parts of attention mechanisms.

The mechanisms and the wrapper themselves are in `migrate.tf1_shim.contrib.seq2seq`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.seq2seq._attention import (
    _Base,
    bahdanau_score,
    luong_score,
    masked_score,
)

__all__ = [
    "_BaseAttentionMechanism",
    "_bahdanau_score",
    "_compute_attention",
    "_luong_score",
    "_maybe_mask_score",
]

__getattr__ = _lazy.attributes(
    __name__, (), "tensorflow.contrib.seq2seq.python.ops.attention_wrapper"
)


class _BaseAttentionMechanism(_Base):
    """A memory with keys, to subclass: ``__call__(query, state)`` gives (alignments, state).

    `_probability_fn` takes a score (batch, time) and the previous alignments; it leaves out what
    lies past the memory's lengths.
    """

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[..., Any],
        memory_sequence_length: Any = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Any = None,
        name: str | None = None,
    ) -> None:
        """Make the keys.

        Args:
          query_layer: A layer for the query, or None.
          memory: (batch, time, size).
          probability_fn: From a score and the previous alignments to alignments.
          memory_sequence_length: (batch); what lies past it is zero and gets no attention.
          memory_layer: The layer that makes the keys.
          check_inner_dims_defined: Whether the memory's last axes must be known.
          score_mask_value: The score past the lengths; by default minus infinity.
          custom_key_value_fn: From (keys, values) to such.
          name: The name scope.

        Raises:
          TypeError: If a layer is none, or probability_fn no function.
          ValueError: If the memory's size is not known.
        """
        if memory_layer is None or not callable(memory_layer):
            raise TypeError(f"memory_layer must be a layer. Received: {memory_layer!r}")
        if check_inner_dims_defined:
            for one in tf.nest.flatten(memory):
                if not tf.convert_to_tensor(one).shape[2:].is_fully_defined():
                    raise ValueError(f"The memory needs known sizes. Received: {one}")
        super().__init__(
            query_layer,
            memory,
            probability_fn,
            memory_sequence_length,
            memory_layer,
            score_mask_value,
            custom_key_value_fn,
            name,
        )


def _bahdanau_score(
    processed_query: Any,
    keys: Any,
    attention_v: Any,
    attention_g: Any = None,
    attention_b: Any = None,
) -> Any:
    """A hidden layer over query and keys.

    Args:
      processed_query: (batch, units), by the query's layer.
      keys: (batch, time, units).
      attention_v: (units), the weights of the sum. A bool, as TF 1.4 to 1.13 took it, makes the
        variables of `BahdanauAttention`, with True those that normalize too.
      attention_g: The weights' length, a scalar, if they are to be normalized.
      attention_b: (units), the hidden layer's bias, with `attention_g`.

    Returns:
      (batch, time).
    """
    if isinstance(attention_v, bool):
        return bahdanau_score(processed_query, keys, keys.shape.as_list()[2], attention_v)
    hidden = keys + tf.expand_dims(processed_query, 1)
    if attention_g is not None and attention_b is not None:
        attention_v = attention_g * attention_v * tf.rsqrt(tf.reduce_sum(tf.square(attention_v)))
        hidden += attention_b
    return tf.reduce_sum(attention_v * tf.tanh(hidden), [2])


def _luong_score(query: Any, keys: Any, scale: Any) -> Any:
    """The product of query and keys.

    Args:
      query: (batch, units).
      keys: (batch, time, units).
      scale: A scalar tensor to multiply with, or None. A bool, as TF 1.4 to 1.13 took it, makes
        the variable of `LuongAttention`, or none.

    Returns:
      (batch, time).

    Raises:
      ValueError: If query and keys are not as long.
    """
    if isinstance(scale, bool):
        return luong_score(query, keys, scale)
    score = luong_score(query, keys, False)
    return score if scale is None else scale * score


def _maybe_mask_score(
    score: Any,
    memory_sequence_length: Any = None,
    memory_mask: Any = None,
    score_mask_value: Any = None,
) -> Any:
    """A score with a value of its own past the lengths, or where a mask is False.

    Args:
      score: (batch, time).
      memory_sequence_length: (batch), or None.
      memory_mask: (batch, time), bool, or None. A number here is taken for the value, as by TF 1.4
        to 1.13.
      score_mask_value: What stands past the lengths.

    Returns:
      (batch, time); the score as it is without lengths and mask.

    Raises:
      ValueError: If there are both lengths and a mask.
    """
    if isinstance(memory_mask, (int, float)) and score_mask_value is None:
        memory_mask, score_mask_value = None, memory_mask
    if memory_mask is None:
        return masked_score(score, memory_sequence_length, score_mask_value)
    if memory_sequence_length is not None:
        raise ValueError("Give memory_sequence_length or memory_mask, not both")
    return tf.where(memory_mask, score, score_mask_value * tf.ones_like(score))


def _compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """The attention that a cell's output asks for.

    Args:
      attention_mechanism: The mechanism.
      cell_output: (batch, size).
      attention_state: The mechanism's state.
      attention_layer: A layer over output and context, or None for the context.

    Returns:
      The attention (batch, size), the alignments (batch, time), the mechanism's next state.
    """
    alignments, state = attention_mechanism(cell_output, state=attention_state)
    context = tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values)
    context = tf.squeeze(context, [1])
    if attention_layer is None:
        return context, alignments, state
    return attention_layer(tf.concat([cell_output, context], 1)), alignments, state
