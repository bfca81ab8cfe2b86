"""``slim.parallel_reader``: readers that fill one queue."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["ParallelReader", "get_data_files", "parallel_read", "single_pass_read"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.parallel_reader")


class ParallelReader:
    """Several readers that read different files at once into a common queue."""

    def __init__(
        self,
        reader_class: Any,
        common_queue: Any,
        num_readers: int = 4,
        reader_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Make the readers.

        Args:
          reader_class: A class of readers, such as ``tf.TFRecordReader``.
          common_queue: A queue of two strings, key and record.
          num_readers: How many.
          reader_kwargs: Arguments of the class.

        Raises:
          TypeError: If the queue's dtypes are others.
        """
        if len(common_queue.dtypes) != 2 or any(
            not tf.as_dtype(tf.string).is_compatible_with(dtype) for dtype in common_queue.dtypes
        ):
            raise TypeError("common_queue must hold two strings, key and record.")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    def _configure(self, queue: Any) -> None:
        enqueue = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        tf.train.add_queue_runner(
            tf.train.QueueRunner(
                self._common_queue,
                enqueue,
                self._common_queue.close(),
                queue_closed_exception_types=(
                    tf.errors.OutOfRangeError,
                    tf.errors.CancelledError,
                ),
            )
        )

    def read(self, queue: Any, name: str | None = None) -> Any:
        """The next key and record of the files in a queue."""
        self._configure(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """The next keys and records."""
        self._configure(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records were read."""
        counts = [reader.num_records_produced() for reader in self._readers]
        return tf.add_n(counts, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files were read."""
        counts = [reader.num_work_units_completed() for reader in self._readers]
        return tf.add_n(counts, name=name)

    @property
    def common_queue(self) -> Any:
        """The queue."""
        return self._common_queue


def get_data_files(data_sources: Any) -> list[str]:
    """The files of a name, a pattern, or a list of such.

    Raises:
      ValueError: If there is none.
    """
    if isinstance(data_sources, (list, tuple)):
        return [name for source in data_sources for name in get_data_files(source)]
    wild = any(sign in data_sources for sign in "*?[")
    found: list[str] = tf.gfile.Glob(data_sources) if wild else [data_sources]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found


def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: dict[str, Any] | None = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """The next key and record of files that are read in parallel.

    Args:
      data_sources: Files, or a pattern.
      reader_class: A class of readers.
      num_epochs: How often to read the files; None for ever.
      num_readers: How many readers.
      reader_kwargs: Arguments of the class.
      shuffle: Whether to shuffle files and records.
      dtypes: The dtypes of the queue, two strings by default.
      capacity: How much the queue holds.
      min_after_dequeue: How much it keeps for shuffling.
      seed: The seed of the shuffling.
      scope: The name scope; by default "parallel_read".

    Returns:
      Key and record, strings.
    """
    data_files = get_data_files(data_sources)
    with tf.name_scope(scope, "parallel_read"):
        names = tf.train.string_input_producer(
            data_files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames"
        )
        dtypes = dtypes or [tf.string, tf.string]
        if shuffle:
            queue = tf.RandomShuffleQueue(
                capacity=capacity,
                min_after_dequeue=min_after_dequeue,
                dtypes=dtypes,
                seed=seed,
                name="common_queue",
            )
        else:
            queue = tf.FIFOQueue(capacity=capacity, dtypes=dtypes, name="common_queue")
        fill = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        tf.summary.scalar(f"queue/{queue.name}/fraction_of_{capacity}_full", fill)
        return ParallelReader(reader_class, queue, num_readers, reader_kwargs).read(names)


def single_pass_read(
    data_sources: Any,
    reader_class: Any,
    reader_kwargs: dict[str, Any] | None = None,
    scope: str | None = None,
) -> Any:
    """The next key and record of files that are read once, in order.

    Args:
      data_sources: Files, or a pattern.
      reader_class: A class of readers.
      reader_kwargs: Arguments of the class.
      scope: The name scope; by default "single_pass_read".

    Returns:
      Key and record, strings.
    """
    files = get_data_files(data_sources)
    with tf.name_scope(scope, "single_pass_read"):
        names = tf.train.string_input_producer(
            files, num_epochs=1, shuffle=False, capacity=1, name="filenames"
        )
        return reader_class(**(reader_kwargs or {})).read(names)
