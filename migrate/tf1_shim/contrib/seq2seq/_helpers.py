"""``tf.contrib.seq2seq``: what a decoder reads next."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.rnn import transpose_batch_time

__all__ = ["Helper", "TrainingHelper"]


class Helper:
    """Interface of what samples from a decoder's outputs and gives its next inputs."""

    @property
    def batch_size(self) -> Any:
        """The batch size, a tensor."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample without the batch."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of a sample."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The samples of a step."""
        raise NotImplementedError

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(finished, next inputs, next state)."""
        raise NotImplementedError


class TrainingHelper(Helper):
    """Gives the inputs that are known, for training."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        time_major: bool = False,
        name: str | None = None,
    ) -> None:
        """Make a helper.

        Args:
          inputs: (batch, time, size), or a nest of such.
          sequence_length: int32 (batch).
          time_major: Whether the time comes first.
          name: The name scope.

        Raises:
          ValueError: If the lengths are no vector.
        """
        with tf.name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = tf.nest.map_structure(transpose_batch_time, inputs)

            def unstack(tensor: Any) -> Any:
                array = tf.TensorArray(
                    dtype=tensor.dtype, size=tf.shape(tensor)[0], element_shape=tensor.shape[1:]
                )
                return array.unstack(tensor)

            self._input_tas = tf.nest.map_structure(unstack, inputs)
            self._sequence_length = tf.convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.rank != 1:
                raise ValueError(
                    "sequence_length must have one entry for each example. Received: the shape "
                    f"{self._sequence_length.shape}"
                )
            self._zero_inputs = tf.nest.map_structure(lambda t: tf.zeros_like(t[0, :]), inputs)
            self._start_inputs = self._zero_inputs
            self._batch_size = tf.size(self._sequence_length)

    @property
    def inputs(self) -> Any:
        """The inputs as given."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """The lengths."""
        return self._sequence_length

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

    def _read(self, time: Any, finished: Any) -> Any:
        return tf.cond(
            tf.reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: tf.nest.map_structure(lambda array: array.read(time), self._input_tas),
        )

    def initialize(self, name: str | None = None) -> Any:
        """(finished, first inputs)."""
        with tf.name_scope(name, "TrainingHelperInitialize"):
            finished = tf.equal(0, self._sequence_length)
            return finished, self._read(0, finished)

    def sample(  # type: ignore[override]
        self, time: Any, outputs: Any, name: str | None = None, **unused_kwargs: Any
    ) -> Any:
        """The most likely ids; training does not need them."""
        with tf.name_scope(name, "TrainingHelperSample", [time, outputs]):
            return tf.argmax(outputs, axis=-1, output_type=tf.int32)

    def next_inputs(  # type: ignore[override]
        self, time: Any, outputs: Any, state: Any, name: str | None = None, **unused_kwargs: Any
    ) -> Any:
        """(finished, next inputs, state)."""
        with tf.name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            following = time + 1
            finished = following >= self._sequence_length
            return finished, self._read(following, finished), state
