"""``slim.queues``: the queue runners of a graph, for the time of a ``with`` block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["NestedQueueRunnerError", "QueueRunners"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.queues")

#: How long the threads are waited for at the end.
_GRACE_SECONDS = 120
_running = threading.Lock()


class NestedQueueRunnerError(Exception):
    """A block of queue runners was opened inside another."""


@contextmanager
def QueueRunners(session: Any) -> Iterator[None]:  # noqa: N802 - TF1's name
    """Run all queue runners of the current graph while the block lasts.

    Example::

        with tf.Session() as session:
            with slim.queues.QueueRunners(session):
                session.run(batch)

    Args:
      session: The session in which the queues are filled.

    Yields:
      Nothing.

    Raises:
      NestedQueueRunnerError: If another block is open in this process.
    """
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError(
            "QueueRunners was entered while another QueueRunners block of this process is open"
        )
    try:
        coordinator = tf.train.Coordinator()
        threads: list[threading.Thread] = []
        for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            threads += runner.create_threads(session, coord=coordinator, daemon=True, start=True)
        try:
            yield
        finally:
            coordinator.request_stop()
            try:
                coordinator.join(threads, stop_grace_period_secs=_GRACE_SECONDS)
            except RuntimeError:  # a thread that still waits is released by its session's end
                session.close()
    finally:
        _running.release()
