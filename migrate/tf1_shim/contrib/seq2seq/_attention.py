"""``tf.contrib.seq2seq``: attention mechanisms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers
from migrate.tf1_shim.nn._cell import zeros_for

__all__ = [
    "AttentionMechanism",
    "BahdanauAttention",
    "LuongAttention",
    "hardmax",
]


def hardmax(logits: Any, name: str | None = None) -> Any:
    """One at the largest entry of the last axis, zero elsewhere.

    Args:
      logits: A tensor.
      name: The name scope; by default "Hardmax".

    Returns:
      A tensor of the same shape and dtype.
    """
    with tf.name_scope(name, "Hardmax", [logits]):
        logits = tf.convert_to_tensor(logits, name="logits")
        depth = logits.shape.as_list()[-1]
        depth = tf.shape(logits)[-1] if depth is None else depth
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


class AttentionMechanism:
    """Interface of what scores a memory by a query."""

    @property
    def alignments_size(self) -> Any:
        """How many entries the memory has."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The size of its state."""
        raise NotImplementedError


class _Base(AttentionMechanism):
    """A memory with keys; the state is the last alignment."""

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        probability_fn: Callable[..., Any],
        memory_sequence_length: Any,
        memory_layer: Any,
        score_mask_value: Any,
        custom_key_value_fn: Any,
        name: str | None,
    ) -> None:
        if not callable(probability_fn):
            raise TypeError("probability_fn must be callable")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        self._unmasked_fn = probability_fn
        # What subclasses of users call.
        self._probability_fn: Callable[[Any, Any], Any] = self._probabilities
        self._length = memory_sequence_length
        with tf.name_scope(name, "BaseAttentionMechanismInit", tf.nest.flatten(memory)):
            memory = tf.nest.map_structure(
                lambda one: tf.convert_to_tensor(one, name="memory"), memory
            )
            if memory_sequence_length is not None:
                self._length = tf.convert_to_tensor(
                    memory_sequence_length, name="memory_sequence_length"
                )
            self._values = tf.nest.map_structure(self._masked, memory)
            if score_mask_value is None:
                score_mask_value = -math.inf
            self._score_mask_value = score_mask_value
            self._keys = self._memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            sizes, dynamic = self._keys.shape.as_list(), tf.shape(self._keys)
            self._batch_size = dynamic[0] if sizes[0] is None else sizes[0]
            self._alignments_size = dynamic[1] if sizes[1] is None else sizes[1]

    def _masked(self, memory: Any) -> Any:
        if self._length is None:
            return memory
        mask = tf.sequence_mask(self._length, maxlen=tf.shape(memory)[1], dtype=memory.dtype)
        ones = tf.ones([tf.rank(memory) - 2], tf.int32)
        return memory * tf.reshape(mask, tf.concat([tf.shape(mask), ones], 0))

    @property
    def memory_layer(self) -> Any:
        """The layer that makes the keys."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer for the query, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, zero past its lengths."""
        return self._values

    @property
    def keys(self) -> Any:
        """The keys (batch, time, units)."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The batch size."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """How many entries the memory has."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The size of its state: that of an alignment."""
        return self._alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros (batch, time)."""
        return (
            zeros_for(self._alignments_size, batch_size, dtype)
            if isinstance(self._alignments_size, int)
            else tf.zeros(tf.stack([batch_size, self._alignments_size]), dtype=dtype)
        )

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Zeros (batch, time)."""
        return self.initial_alignments(batch_size, dtype)

    def _probabilities(self, score: Any, previous: Any) -> Any:
        return self._unmasked_fn(
            masked_score(score, self._length, self._score_mask_value), previous
        )


def masked_score(score: Any, lengths: Any, value: Any) -> Any:
    """A score (batch, time) with a value of its own past the lengths, if there are any."""
    if lengths is None:
        return score
    mask = tf.sequence_mask(lengths, maxlen=tf.shape(score)[1])
    return tf.where(mask, score, value * tf.ones_like(score))


def luong_score(query: Any, keys: Any, scale: bool) -> Any:
    """The product of query and keys, scaled by the variable ``attention_g`` if asked to."""
    depth, units = query.shape.as_list()[-1], keys.shape.as_list()[-1]
    if depth != units:
        raise ValueError(
            "LuongAttention multiplies queries with keys, which must be as long: give "
            f"num_units={depth}. Received: a query of {depth} and keys of {units} units"
        )
    score = tf.squeeze(tf.matmul(tf.expand_dims(query, 1), keys, transpose_b=True), [1])
    if scale:
        score *= tf.get_variable(
            "attention_g", dtype=query.dtype, initializer=tf.ones_initializer(), shape=()
        )
    return score


def bahdanau_score(query: Any, keys: Any, units: int, normalize: bool) -> Any:
    """A hidden layer over the mapped query and keys, with the variables of `BahdanauAttention`."""
    hidden, dtype = tf.expand_dims(query, 1), query.dtype
    v = tf.get_variable("attention_v", [units], dtype=dtype)
    hidden = keys + hidden
    if normalize:
        start = tf.constant_initializer(math.sqrt(1.0 / units))
        g = tf.get_variable("attention_g", dtype=dtype, initializer=start, shape=())
        zeros = tf.zeros_initializer()
        b = tf.get_variable("attention_b", [units], dtype=dtype, initializer=zeros)
        v = g * v * tf.rsqrt(tf.reduce_sum(tf.square(v)))
        hidden += b
    return tf.reduce_sum(v * tf.tanh(hidden), [2])


class LuongAttention(_Base):
    """Scores by the product of query and keys (arXiv:1508.04025).

    Variables: ``memory_layer/kernel`` and, if scaled, ``luong_attention/attention_g``.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        """Make a mechanism.

        Args:
          num_units: The size of the keys; it must be that of the query.
          memory: (batch, time, size).
          memory_sequence_length: (batch); what lies past it is zero and gets no attention.
          scale: Whether to scale the score by a variable.
          probability_fn: From scores to probabilities; by default the softmax.
          score_mask_value: The score past the lengths; by default minus infinity.
          dtype: The dtype of the keys' layer; by default float32.
          custom_key_value_fn: From (keys, values) to such.
          name: The name scope.
        """
        function = probability_fn or tf.nn.softmax
        super().__init__(
            query_layer=None,
            memory_layer=layers.Dense(
                num_units, name="memory_layer", use_bias=False, dtype=dtype or tf.float32
            ),
            memory=memory,
            probability_fn=lambda score, _: function(score),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._scale = num_units, scale

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """(alignments, next state) for a query (batch, units)."""
        with tf.variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, self._scale)
            alignments = self._probabilities(score, state)
        return alignments, alignments


class BahdanauAttention(_Base):
    """Scores by a hidden layer over query and keys (arXiv:1409.0473).

    Variables: ``memory_layer/kernel``, ``bahdanau_attention/query_layer/kernel``,
    ``bahdanau_attention/attention_v``; normalized also ``attention_g`` and ``attention_b``.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        """Make a mechanism.

        Args:
          num_units: The size of the hidden layer.
          memory: (batch, time, size).
          memory_sequence_length: (batch); what lies past it is zero and gets no attention.
          normalize: Whether to normalize the weights (arXiv:1602.07868).
          probability_fn: From scores to probabilities; by default the softmax.
          score_mask_value: The score past the lengths; by default minus infinity.
          dtype: The dtype of the layers; by default float32.
          custom_key_value_fn: From (keys, values) to such.
          name: The name scope.
        """
        function = probability_fn or tf.nn.softmax
        dtype = dtype or tf.float32
        super().__init__(
            query_layer=layers.Dense(num_units, name="query_layer", use_bias=False, dtype=dtype),
            memory_layer=layers.Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype),
            memory=memory,
            probability_fn=lambda score, _: function(score),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units, self._normalize = num_units, normalize

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """(alignments, next state) for a query (batch, size)."""
        with tf.variable_scope(None, "bahdanau_attention", [query]):
            score = bahdanau_score(
                self._query_layer(query), self._keys, self._num_units, self._normalize
            )
            alignments = self._probabilities(score, state)
        return alignments, alignments
