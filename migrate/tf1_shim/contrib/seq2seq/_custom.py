"""``tf.contrib.seq2seq``: helpers made of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.seq2seq._helpers import Helper

__all__ = ["CustomHelper", "InferenceHelper"]


class CustomHelper(Helper):
    """A helper of three functions."""

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        """Make a helper.

        Args:
          initialize_fn: Gives (finished, first inputs).
          sample_fn: From time, outputs and state to samples.
          next_inputs_fn: From time, outputs, state and sample_ids to (finished, inputs, state).
          sample_ids_shape: The shape of a sample without the batch; by default a scalar.
          sample_ids_dtype: The dtype of a sample; by default int32.
        """
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._sample_ids_shape = tf.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        """The batch size, known once the decoder is initialized."""
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample without the batch."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of a sample."""
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        with tf.name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The samples of a step."""
        with tf.name_scope(name, f"{type(self).__name__}Sample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, next state)."""
        with tf.name_scope(name, f"{type(self).__name__}NextInputs", (time, outputs, state)):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class InferenceHelper(Helper):
    """A helper for inference, of functions."""

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        """Make a helper.

        Args:
          sample_fn: From outputs to samples.
          sample_shape: The shape of a sample without the batch.
          sample_dtype: The dtype of a sample.
          start_inputs: The first inputs.
          end_fn: From samples to whether they end.
          next_inputs_fn: From samples to inputs; by default the samples themselves.
        """
        self._sample_fn, self._end_fn = sample_fn, end_fn
        self._sample_shape = tf.TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = tf.convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = tf.shape(start_inputs)[0]

    @property
    def batch_size(self) -> Any:
        """The batch size."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample without the batch."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of a sample."""
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        return tf.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The samples of a step."""
        del time, state
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, state)."""
        del time, outputs
        following = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), following, state
