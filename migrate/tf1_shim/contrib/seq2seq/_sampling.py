"""``tf.contrib.seq2seq``: helpers that feed back what was decoded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn._functions import transpose_batch_time
from migrate.tf1_shim.contrib.seq2seq._helpers import Helper, TrainingHelper

__all__ = [
    "GreedyEmbeddingHelper",
    "SampleEmbeddingHelper",
    "ScheduledEmbeddingTrainingHelper",
    "ScheduledOutputTrainingHelper",
]


def _embedding(embedding: Any) -> Callable[[Any], Any]:
    if callable(embedding):
        function: Callable[[Any], Any] = embedding
        return function
    return lambda ids: tf.nn.embedding_lookup(embedding, ids)


class GreedyEmbeddingHelper(Helper):
    """Feeds back the most likely id, embedded."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        """Make a helper.

        Args:
          embedding: The table, or a function of ids.
          start_tokens: int32 (batch).
          end_token: int32, a scalar.

        Raises:
          ValueError: If the tokens have other ranks.
        """
        self._embedding_fn = _embedding(embedding)
        self._start_tokens = tf.convert_to_tensor(start_tokens, dtype=tf.int32, name="start_tokens")
        self._end_token = tf.convert_to_tensor(end_token, dtype=tf.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = tf.size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Any:
        """The batch size."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """A scalar."""
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """int32."""
        return tf.int32

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The most likely ids."""
        del time, state
        if not tf.is_tensor(outputs):
            raise TypeError(f"This helper samples from one tensor of logits. Received: {outputs!r}")
        return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, state)."""
        del time, outputs
        finished = tf.equal(sample_ids, self._end_token)
        following = tf.cond(
            tf.reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, following, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds back an id drawn from the outputs, embedded."""

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        """Make a helper.

        Args:
          embedding: The table, or a function of ids.
          start_tokens: int32 (batch).
          end_token: int32, a scalar.
          softmax_temperature: Divides the logits; above one draws more widely.
          seed: The operation's seed.
        """
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Ids drawn from the outputs."""
        del time, state
        if not tf.is_tensor(outputs):
            raise TypeError(f"This helper samples from one tensor of logits. Received: {outputs!r}")
        if self._softmax_temperature is not None:
            outputs = outputs / self._softmax_temperature
        return draw(outputs, self._seed)


def draw(logits: Any, seed: int | None) -> Any:
    """One id for each row of logits, as ``tf.distributions.Categorical`` draws it."""
    ids = tf.multinomial(logits, 1, seed=seed, output_dtype=tf.int32)
    return tf.reshape(ids, tf.shape(logits)[:-1])


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds back what was drawn with some probability, else what is known."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        """Make a helper.

        Args:
          inputs: (batch, time, size).
          sequence_length: int32 (batch).
          embedding: The table, or a function of ids.
          sampling_probability: How often to feed back, a scalar or (batch).
          time_major: Whether the time comes first.
          seed: The seed of the draws.
          scheduling_seed: The seed of whether to draw.
          name: The name scope.
        """
        with tf.name_scope(name, "ScheduledEmbeddingSamplingWrapper", [sampling_probability]):
            self._embedding_fn = _embedding(embedding)
            self._sampling_probability = tf.convert_to_tensor(
                sampling_probability, name="sampling_probability"
            )
            if self._sampling_probability.shape.rank not in (0, 1):
                raise ValueError(
                    "sampling_probability is one number, or one for each example. Received: "
                    f"the shape {self._sampling_probability.shape}"
                )
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Any = None) -> Any:  # type: ignore[override]
        """Drawn ids, or -1 where the known input is to be used."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
            chance = tf.random_uniform(
                [self.batch_size],
                seed=self._scheduling_seed,
                dtype=self._sampling_probability.dtype,
            )
            chosen = tf.less(chance, self._sampling_probability)
            ids = draw(outputs, self._seed)
            return tf.where(chosen, ids, tf.fill([self.batch_size], -1))

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, state)."""
        with tf.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs]):
            finished, known, state = super().next_inputs(time=time, outputs=outputs, state=state)

            def mixed() -> Any:
                drawn = tf.cast(tf.where(sample_ids > -1), tf.int32)
                kept = tf.cast(tf.where(sample_ids <= -1), tf.int32)
                fresh = self._embedding_fn(tf.gather_nd(sample_ids, drawn))
                shape = tf.shape(known)
                return tf.scatter_nd(drawn, fresh, shape) + tf.scatter_nd(
                    kept, tf.gather_nd(known, kept), shape
                )

            following = tf.cond(tf.reduce_all(finished), lambda: known, mixed)
            return finished, following, state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds back the outputs with some probability, else what is known."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        """Make a helper.

        Args:
          inputs: (batch, time, size).
          sequence_length: int32 (batch).
          sampling_probability: How often to feed back, a scalar.
          time_major: Whether the time comes first.
          seed: The seed of whether to feed back.
          next_inputs_fn: From outputs to inputs; by default they are the same.
          auxiliary_inputs: (batch, time, more): always behind the inputs and the outputs.
          name: The name scope.

        Raises:
          ValueError: If the probability is neither a scalar nor a vector.
        """
        values = [inputs, auxiliary_inputs, sampling_probability]
        with tf.name_scope(name, "ScheduledOutputTrainingHelper", values):
            self._sampling_probability = tf.convert_to_tensor(
                sampling_probability, name="sampling_probability"
            )
            if self._sampling_probability.shape.rank not in (0, 1):
                raise ValueError(
                    "sampling_probability is one number, or one for each example. Received: "
                    f"the shape {self._sampling_probability.shape}"
                )
            self._auxiliary = None
            if auxiliary_inputs is not None:
                inputs = tf.convert_to_tensor(inputs, name="inputs")
                more = tf.convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = tf.concat([inputs, more], -1)
                if not time_major:
                    more = transpose_batch_time(more)
                self._auxiliary = tf.TensorArray(
                    dtype=more.dtype, size=tf.shape(more)[0], element_shape=more.shape[1:]
                ).unstack(more)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time: Any, outputs: Any, state: Any = None, name: Any = None) -> Any:  # type: ignore[override]
        """One where the outputs are to be fed back."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs]):
            chance = self._sampling_probability
            size = tf.concat([[self.batch_size], tf.shape(chance)], 0)
            drawn = tf.random_uniform(size, seed=self._seed, dtype=chance.dtype)
            return tf.cast(tf.less(drawn, chance), tf.int32)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, state)."""
        with tf.name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs]):
            finished, known, state = super().next_inputs(time=time, outputs=outputs, state=state)
            chosen = tf.cast(sample_ids, tf.bool)

            def with_more(fed: Any, rows: Any = None) -> Any:
                if self._auxiliary is None:
                    return fed
                more = self._auxiliary.read(time + 1)
                return tf.concat([fed, more if rows is None else tf.gather_nd(more, rows)], -1)

            def mixed() -> Any:
                if self._next_inputs_fn is None:
                    return tf.where(chosen, with_more(outputs), known)
                rows = tf.cast(tf.where(chosen), tf.int32)
                kept = tf.cast(tf.where(tf.logical_not(chosen)), tf.int32)
                fed = with_more(self._next_inputs_fn(tf.gather_nd(outputs, rows)), rows)
                shape = tf.shape(known)
                return tf.scatter_nd(rows, fed, shape) + tf.scatter_nd(
                    kept, tf.gather_nd(known, kept), shape
                )

            none = tf.logical_not(tf.reduce_any(chosen))
            either = tf.logical_or(tf.reduce_all(finished), none)
            return finished, tf.cond(either, lambda: known, mixed), state
