"""``slim.prefetch_queue``: a queue that holds batches ready."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["prefetch_queue"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.prefetch_queue")


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue that a queue runner keeps filled with the values of tensors.

    The runner joins the collection QUEUE_RUNNERS; a scalar summary tells how full the queue is.

    Example::

        queue = prefetch_queue(tf.train.batch([image, label], batch_size=32))
        images, labels = queue.dequeue()

    Args:
      tensors: A list or a dictionary of tensors, which are enqueued together.
      capacity: How many such elements the queue holds.
      num_threads: How many threads enqueue.
      dynamic_pad: Whether sizes may be unknown; `dequeue_many` then pads with zeros.
      shared_name: A name under which several sessions share the queue.
      name: The name scope, "prefetch_queue" by default.

    Returns:
      A `tf.FIFOQueue`, or a `tf.PaddingFIFOQueue` with `dynamic_pad`. With a dictionary its
      components are named.
    """
    keys = sorted(tensors) if isinstance(tensors, dict) else None
    parts = [tensors[key] for key in keys] if keys is not None else list(tensors)
    make = tf.PaddingFIFOQueue if dynamic_pad else tf.FIFOQueue
    with tf.name_scope(name, "prefetch_queue", parts):
        queue = make(
            capacity=capacity,
            dtypes=[part.dtype for part in parts],
            shapes=[part.shape for part in parts],
            names=keys,
            shared_name=shared_name,
        )
        enqueue = queue.enqueue(tensors)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * num_threads))
        share = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        tf.summary.scalar(f"fraction_of_{capacity}_full", share)
    return queue
