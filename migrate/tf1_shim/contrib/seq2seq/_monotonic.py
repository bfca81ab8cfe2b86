"""``tf.contrib.seq2seq``: attention that only moves forward (arXiv:1704.00784)."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers
from migrate.tf1_shim.contrib.seq2seq._attention import _Base, bahdanau_score, luong_score

__all__ = [
    "BahdanauMonotonicAttention",
    "LuongMonotonicAttention",
    "monotonic_attention",
    "safe_cumprod",
]


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """The cumulative product of numbers from 0 to 1, by the sum of logarithms.

    Args:
      x: A float tensor; what lies outside of [tiny, 1] is clipped.
      *args: As for ``tf.cumsum``.
      **kwargs: As for ``tf.cumsum``.

    Returns:
      A tensor of the same shape.
    """
    with tf.name_scope(None, "SafeCumprod", [x]):
        x = tf.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return tf.exp(tf.cumsum(tf.log(tf.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """The distribution of a monotonic attention.

    Args:
      p_choose_i: (batch, time): how likely each entry is chosen when it is reached.
      previous_attention: (batch, time): the distribution of the step before.
      mode: "recursive" (exact, slow), "parallel" (by cumulative sums; may lose precision) or
        "hard" (both inputs are zeros and ones).

    Returns:
      (batch, time).

    Raises:
      ValueError: If there is no such mode.
    """
    chosen = tf.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = tf.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        batch = chosen.shape.as_list()[0] or tf.shape(chosen)[0]
        passed = tf.concat([tf.ones([batch, 1]), 1 - chosen[:, :-1]], 1)
        reached = tf.scan(
            lambda x, yz: tf.reshape(yz[0] * x + yz[1], [batch]),
            [tf.transpose(passed), tf.transpose(previous)],
            tf.zeros([batch]),
        )
        return chosen * tf.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - chosen, axis=1, exclusive=True)
        share = previous / tf.clip_by_value(passed, 1e-10, 1.0)
        return chosen * passed * tf.cumsum(share, axis=1)
    if mode == "hard":
        chosen = chosen * tf.cumsum(previous, axis=1)
        return chosen * tf.cumprod(1 - chosen, axis=1, exclusive=True)
    raise ValueError(f"mode is one of 'hard', 'parallel' and 'recursive'. Received: {mode!r}")


class _Monotonic(_Base):
    """A mechanism that starts at the memory's first entry and adds a bias to its scores."""

    def __init__(
        self,
        num_units: int,
        with_query: bool,
        noise: tuple[float, int | None],
        mode: str,
        score_bias_init: float,
        dtype: Any,
        **kwargs: Any,
    ) -> None:
        def layer(name: str) -> Any:
            kind = dtype or tf.float32
            return layers.Dense(num_units, name=name, use_bias=False, dtype=kind)

        def probabilities(score: Any, previous: Any) -> Any:
            scale, seed = noise
            if scale > 0:
                score += scale * tf.random_normal(tf.shape(score), dtype=score.dtype, seed=seed)
            hard = mode == "hard"
            chosen = tf.cast(score > 0, score.dtype) if hard else tf.sigmoid(score)
            return monotonic_attention(chosen, previous, mode)

        super().__init__(
            query_layer=layer("query_layer") if with_query else None,
            memory_layer=layer("memory_layer"),
            probability_fn=probabilities,
            custom_key_value_fn=None,
            **kwargs,
        )
        self._num_units = num_units
        self._score_bias_init = score_bias_init

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """One at the first entry, zeros elsewhere (batch, time)."""
        first = tf.zeros([batch_size], dtype=tf.int32)
        return tf.one_hot(first, self._alignments_size, dtype=dtype)

    def _biased(self, score: Any, dtype: Any) -> Any:
        bias = tf.get_variable(
            "attention_score_bias", dtype=dtype, initializer=self._score_bias_init
        )
        return score + bias


class BahdanauMonotonicAttention(_Monotonic):
    """`BahdanauAttention` that only moves forward.

    Variables below ``bahdanau_monotonic_attention``: ``query_layer/kernel``, ``attention_v``,
    ``attention_score_bias``; normalized also ``attention_g``, ``attention_b``.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        """Make a mechanism.

        Args:
          num_units: The size of the hidden layer.
          memory: (batch, time, size).
          memory_sequence_length: (batch); what lies past it is zero and gets no attention.
          normalize: Whether to normalize the weights (arXiv:1602.07868).
          score_mask_value: The score past the lengths; by default minus infinity.
          sigmoid_noise: The deviation of the noise added to scores, for training.
          sigmoid_noise_seed: Its seed.
          score_bias_init: Where the scores' bias starts; a negative one for long memories.
          mode: See `monotonic_attention`.
          dtype: The dtype of the layers; by default float32.
          name: The name scope.
        """
        super().__init__(
            num_units,
            True,
            (sigmoid_noise, sigmoid_noise_seed),
            mode,
            score_bias_init,
            dtype,
            memory=memory,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._normalize = normalize

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """(alignments, next state) for a query (batch, size)."""
        with tf.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = bahdanau_score(
                self._query_layer(query), self._keys, self._num_units, self._normalize
            )
            score = self._biased(score, score.dtype)
        alignments = self._probabilities(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_Monotonic):
    """`LuongAttention` that only moves forward.

    Variables below ``luong_monotonic_attention``: ``attention_score_bias``; scaled also
    ``attention_g``.
    """

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: Any = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        """Make a mechanism.

        Args:
          num_units: The size of the keys; it must be that of the query.
          memory: (batch, time, size).
          memory_sequence_length: (batch); what lies past it is zero and gets no attention.
          scale: Whether to scale the score by a variable.
          score_mask_value: The score past the lengths; by default minus infinity.
          sigmoid_noise: The deviation of the noise added to scores, for training.
          sigmoid_noise_seed: Its seed.
          score_bias_init: Where the scores' bias starts; a negative one for long memories.
          mode: See `monotonic_attention`.
          dtype: The dtype of the keys' layer; by default float32.
          name: The name scope.
        """
        super().__init__(
            num_units,
            False,
            (sigmoid_noise, sigmoid_noise_seed),
            mode,
            score_bias_init,
            dtype,
            memory=memory,
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._scale = scale

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """(alignments, next state) for a query (batch, units)."""
        with tf.variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, self._scale)
            score = self._biased(score, query.dtype)
        alignments = self._probabilities(score, state)
        return alignments, alignments
