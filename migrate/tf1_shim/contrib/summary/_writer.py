"""``tf.contrib.summary``: writers, and whether to record."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "SummaryWriter",
    "always_record_summaries",
    "create_file_writer",
    "create_summary_file_writer",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "should_record_summaries",
    "summary_writer_initializer_op",
]

#: The collections that TF1 used.
OPS, INITIALIZERS = "_SUMMARY_V2", "_SUMMARY_WRITER_V2"


class _Context(threading.local):
    """Per thread, the default writer and whether to record."""

    def __init__(self) -> None:
        self.writer: SummaryWriter | None = None
        self.record: Callable[[], Any] | bool = False


class SummaryWriter:
    """Writes events to a file. Made by `create_file_writer`."""

    def __init__(self, resource: Any, init_op: Any) -> None:
        """Keep a writer's handle and the operation that opens it."""
        self._resource, self._init_op = resource, init_op

    def init(self) -> Any:
        """The operation that opens it."""
        return self._init_op

    def flush(self) -> Any:
        """An operation that writes what is buffered."""
        return tf.raw_ops.FlushSummaryWriter(writer=self._resource)

    def close(self) -> Any:
        """An operation that writes what is buffered and closes the file."""
        with tf.control_dependencies([self.flush()]):
            return tf.raw_ops.CloseSummaryWriter(writer=self._resource)

    def set_as_default(self) -> None:
        """Make it the writer of the summaries from here on."""
        CONTEXT.writer = self

    @contextlib.contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """Make it the writer of the summaries inside of a ``with``."""
        before, CONTEXT.writer = CONTEXT.writer, self
        try:
            yield self
        finally:
            CONTEXT.writer = before


CONTEXT = _Context()


@contextlib.contextmanager
def _recording(record: Callable[[], Any] | bool) -> Iterator[None]:
    before, CONTEXT.record = CONTEXT.record, record
    try:
        yield
    finally:
        CONTEXT.record = before


def always_record_summaries() -> Any:
    """A context in which all summaries are recorded."""
    return _recording(True)


def never_record_summaries() -> Any:
    """A context in which no summaries are recorded."""
    return _recording(False)


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> Any:
    """A context in which every n-th step's summaries are recorded.

    Args:
      n: How often.
      global_step: The global step; by default the graph's, made if need be.

    Returns:
      The context.
    """
    step = tf.train.get_or_create_global_step() if global_step is None else global_step
    with tf.device("cpu:0"):
        due = tf.equal(tf.cast(step, tf.int64) % n, 0)
    return _recording(lambda: due)


def should_record_summaries() -> Any:
    """Whether summaries are recorded here: a bool or a bool tensor."""
    record = CONTEXT.record
    return record() if callable(record) else record


def create_file_writer(
    logdir: str | None,
    max_queue: int | None = None,
    flush_millis: int | None = None,
    filename_suffix: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a writer of event files.

    Args:
      logdir: The folder; None for a writer that writes nothing.
      max_queue: How many events to buffer, 10 by default.
      flush_millis: How long to buffer, two minutes by default.
      filename_suffix: The end of the file's name, ".v2" by default.
      name: The shared name of the resource; by default that of the folder.

    Returns:
      A `SummaryWriter`.
    """
    if logdir is None:
        return SummaryWriter(None, None)
    with tf.device("cpu:0"):
        resource = tf.raw_ops.SummaryWriter(
            shared_name="logdir:" + logdir if name is None else name, container=""
        )
        init = tf.raw_ops.CreateSummaryFileWriter(
            writer=resource,
            logdir=logdir,
            max_queue=tf.constant(10 if max_queue is None else max_queue),
            flush_millis=tf.constant(2 * 60 * 1000 if flush_millis is None else flush_millis),
            filename_suffix=tf.constant(".v2" if filename_suffix is None else filename_suffix),
        )
    tf.add_to_collection(INITIALIZERS, init)
    return SummaryWriter(resource, init)


create_summary_file_writer = create_file_writer


def summary_writer_initializer_op() -> list[Any]:
    """The operations that open the graph's writers.

    Raises:
      RuntimeError: When executing eagerly.
    """
    if tf.executing_eagerly():
        raise RuntimeError(
            "summary_writer_initializer_op() is for graphs: eagerly, writers open by themselves"
        )
    found: list[Any] = tf.get_collection(INITIALIZERS)
    return found
