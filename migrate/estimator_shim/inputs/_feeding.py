"""A queue in the graph that threads fill from arrays, as TF1's input_fns of arrays do.

Each thread goes through the rows ``num_epochs`` times. Batches run across the borders of epochs;
what is left at the very end is a smaller batch. With ``shuffle`` a thread starts at a random row,
and the queue gives back its rows in random order.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf


def _batches(
    rows: int, size: int, epochs: int | None, shuffle: bool
) -> Iterator[np.ndarray[Any, Any]]:
    """The row numbers of the batches that one thread puts into the queue."""
    at = random.randrange(rows) if shuffle else 0
    left = None if epochs is None else rows * epochs
    while left is None or left > 0:
        now = size if left is None else min(size, left)
        yield np.arange(at, at + now) % rows
        at = (at + now) % rows
        if left is not None:
            left -= now


class FeedingQueueRunner(tf.train.QueueRunner):
    """A QueueRunner whose threads feed arrays to the enqueue operations."""

    def __init__(self, queue: Any, feeds: list[tuple[Any, list[Any], Iterator[Any]]], arrays: Any):
        """Keeps what the threads need.

        Args:
          queue: The queue.
          feeds: For each thread the enqueue operation, its placeholders and its batches.
          arrays: The arrays, one for each placeholder after the first, which takes row numbers.
        """
        super().__init__(queue, [enqueue for enqueue, _, _ in feeds])
        self._feeds = feeds
        self._arrays = arrays
        self._guard = threading.Lock()
        self._running = 0

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that fill the queue, and one that closes it when all are to stop.

        Args:
          sess: The session.
          coord: The coordinator; None to let threads end by themselves.
          daemon: Whether the process may end before the threads.
          start: Whether to start them.

        Returns:
          The threads.
        """
        self._running = len(self._feeds)
        threads = [
            threading.Thread(target=self._fill, args=(sess, coord, *feed), daemon=daemon)
            for feed in self._feeds
        ]
        if coord is not None:
            close = threading.Thread(target=self._close_on_stop, args=(sess, coord), daemon=daemon)
            threads.append(close)
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads

    def _fill(
        self, session: Any, coord: Any, enqueue: Any, placeholders: list[Any], rows: Iterator[Any]
    ) -> None:
        try:
            put = session.make_callable(enqueue, feed_list=placeholders)
            for chosen in rows:
                if coord is not None and coord.should_stop():
                    break
                put(chosen, *[array[chosen] for array in self._arrays])
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
            pass  # the queue was closed
        except Exception as e:
            if coord is None:
                raise
            coord.request_stop(e)
        with self._guard:
            self._running -= 1
            last = self._running == 0
        if last:
            self._quietly(session, self.close_op)

    def _close_on_stop(self, session: Any, coord: Any) -> None:
        coord.wait_for_stop()
        self._quietly(session, self.cancel_op)

    @staticmethod
    def _quietly(session: Any, op: Any) -> None:
        """Closing a queue fails where the session is closed already: there is nothing to do."""
        try:
            session.run(op)
        except Exception as e:
            tf.logging.vlog(1, "Closing an input queue: %s", e)


def enqueue(
    arrays: Mapping[str, Any],
    batch_size: int,
    epochs: int | None,
    shuffle: bool,
    capacity: int,
    kept: int,
    threads: int,
) -> list[Any]:
    """Builds the queue, its summary and its runner; takes batches out of it.

    Args:
      arrays: Name -> array, all of the same length, in the order of the result.
      batch_size: The rows of a batch.
      epochs: How often each thread goes through the rows; None for ever.
      shuffle: See the module.
      capacity: The size of the queue in rows.
      kept: With shuffle, how many rows stay in the queue, so that there are some to choose from.
      threads: How many threads fill it.

    Returns:
      The batch of each array, as tensors.
    """
    values = list(arrays.values())
    rows = len(values[0])
    dtypes = [tf.int64] + [tf.as_dtype(_fed_dtype(a)) for a in values]
    shapes = [[], *[list(a.shape[1:]) for a in values]]
    with tf.name_scope("enqueue_input"):
        kept = kept if shuffle else 0
        queue = (
            tf.queue.RandomShuffleQueue(capacity, kept, dtypes, shapes)
            if shuffle
            else tf.queue.FIFOQueue(capacity, dtypes, shapes)
        )
        if threads > 1 and epochs is not None:
            tf.logging.warning(
                "num_epochs=%d holds for each of the %d threads: rows come more often than that.",
                epochs,
                threads,
            )
        feeds = []
        for _ in range(threads):
            placeholders = [tf.placeholder(dtype) for dtype in dtypes]
            feeds.append((
                queue.enqueue_many(placeholders),
                placeholders,
                _batches(rows, batch_size, epochs, shuffle),
            ))  # fmt: skip
        tf.train.add_queue_runner(FeedingQueueRunner(queue, feeds, values))
        free = capacity - kept
        full = tf.cast(tf.maximum(0, queue.size() - kept), tf.float32) * (1.0 / free)
        tf.summary.scalar(f"queue/{queue.name}fraction_over_{kept}_of_{free}_full", full)
    batch = queue.dequeue_many(batch_size) if epochs is None else queue.dequeue_up_to(batch_size)
    return list(batch[1:])


def _fed_dtype(array: Any) -> Any:
    return np.dtype(object) if array.dtype.kind in "OSU" else array.dtype
