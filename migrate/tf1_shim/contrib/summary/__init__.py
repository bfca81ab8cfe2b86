"""``tf.contrib.summary``: summaries as operations that write by themselves, on ``tf.raw_ops``.

A summary is written by the operation that it makes: run `all_summary_ops` in the session, after
`initialize`. Nothing is written outside of `always_record_summaries` (or its like) and of a
writer's ``as_default``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy, _values
from migrate.tf1_shim.contrib.summary._writer import (
    CONTEXT,
    OPS,
    SummaryWriter,
    always_record_summaries,
    create_file_writer,
    create_summary_file_writer,
    never_record_summaries,
    record_summaries_every_n_global_steps,
    should_record_summaries,
    summary_writer_initializer_op,
)

__all__ = [
    "SummaryWriter",
    "all_summary_ops",
    "always_record_summaries",
    "audio",
    "create_file_writer",
    "create_summary_file_writer",
    "eval_dir",
    "flush",
    "generic",
    "graph",
    "histogram",
    "image",
    "import_event",
    "initialize",
    "never_record_summaries",
    "record_summaries_every_n_global_steps",
    "scalar",
    "should_record_summaries",
    "summary_writer_initializer_op",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.summary",
    {"create_db_writer": "TF 2.21 has no summary databases; use create_file_writer"},
)


def all_summary_ops() -> list[Any] | None:
    """The operations that write the graph's summaries; None when executing eagerly."""
    return None if tf.executing_eagerly() else tf.get_collection(OPS)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Open the graph's writers in a session, and write the graph if it is given.

    Args:
      graph: A ``tf.Graph`` or ``tf.GraphDef`` to write, or None.
      session: The session; by default the current one.

    Raises:
      RuntimeError: If there is no default writer.
      ValueError: If there is no session.
    """
    if tf.executing_eagerly():
        return
    if CONTEXT.writer is None:
        raise RuntimeError("There is no writer: use create_file_writer(...).as_default()")
    session = session or tf.get_default_session()
    if session is None:
        raise ValueError("initialize() needs a session: none was given, and none is the default")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        definition = graph.as_graph_def(add_shapes=True) if isinstance(graph, tf.Graph) else graph
        placeholder = tf.placeholder(tf.string)
        text = definition.SerializeToString()
        session.run(_graph(placeholder, 0), feed_dict={placeholder: text})


def _record(write: Callable[[Any], Any]) -> Any:
    """The operation that writes if summaries are recorded here, in the collection."""
    writer = CONTEXT.writer
    if writer is None or writer._resource is None:
        return tf.no_op()

    def recorded() -> Any:
        with tf.control_dependencies([write(writer._resource)]):
            return tf.constant(True)

    with tf.device("cpu:0"):
        op = _values.smart_cond(should_record_summaries(), recorded, lambda: tf.constant(False))
        if not tf.executing_eagerly():
            tf.add_to_collection(OPS, op)
    return op


def _step(step: Any) -> Any:
    chosen = tf.train.get_or_create_global_step() if step is None else step
    return tf.cast(chosen, tf.int64)


def _named(name: str, family: str | None, write: Callable[[Any, str, str], Any]) -> Any:
    """Write under a tag that says the name scope, and the family twice, as TF1 did."""
    full = name if family is None else f"{family}/{name}"
    with tf.name_scope(full) as scope:
        inner = scope.rstrip("/")
        tag = inner if family is None else f"{family}/{inner}"
        return _record(lambda writer: write(writer, tag, scope))


def scalar(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """Write a number.

    Args:
      name: The tag, below the current name scope.
      tensor: A real scalar.
      family: What to put before the tag.
      step: The step; by default the global step.

    Returns:
      The operation.
    """
    return _named(
        name,
        family,
        lambda writer, tag, scope: tf.raw_ops.WriteScalarSummary(
            writer=writer, step=_step(step), tag=tag, value=tf.convert_to_tensor(tensor)
        ),
    )


def histogram(name: str, tensor: Any, family: str | None = None, step: Any = None) -> Any:
    """Write a histogram of a tensor: see `scalar`."""
    return _named(
        name,
        family,
        lambda writer, tag, scope: tf.raw_ops.WriteHistogramSummary(
            writer=writer, step=_step(step), tag=tag, values=tf.convert_to_tensor(tensor)
        ),
    )


def image(
    name: str,
    tensor: Any,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write images (batch, height, width, channels): see `scalar`.

    Args:
      name: The tag, below the current name scope.
      tensor: The images.
      bad_color: What stands for numbers that are not finite, red by default.
      max_images: How many to write.
      family: What to put before the tag.
      step: The step; by default the global step.

    Returns:
      The operation.
    """
    color = tf.constant([255, 0, 0, 255], tf.uint8) if bad_color is None else bad_color
    return _named(
        name,
        family,
        lambda writer, tag, scope: tf.raw_ops.WriteImageSummary(
            writer=writer,
            step=_step(step),
            tag=tag,
            tensor=tf.convert_to_tensor(tensor),
            bad_color=color,
            max_images=max_images,
        ),
    )


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Write sounds (batch, frames[, channels]): see `scalar`.

    Args:
      name: The tag, below the current name scope.
      tensor: The sounds, within [-1, 1].
      sample_rate: Frames per second.
      max_outputs: How many to write.
      family: What to put before the tag.
      step: The step; by default the global step.

    Returns:
      The operation.
    """
    return _named(
        name,
        family,
        lambda writer, tag, scope: tf.raw_ops.WriteAudioSummary(
            writer=writer,
            step=_step(step),
            tag=tag,
            tensor=tf.convert_to_tensor(tensor),
            sample_rate=sample_rate,
            max_outputs=max_outputs,
        ),
    )


def generic(
    name: str, tensor: Any, metadata: Any = None, family: str | None = None, step: Any = None
) -> Any:
    """Write a tensor with metadata, a protocol buffer or a serialized one: see `scalar`."""
    text = metadata if metadata is not None else ""
    text = text.SerializeToString() if hasattr(text, "SerializeToString") else text
    return _named(
        name,
        family,
        lambda writer, tag, scope: tf.raw_ops.WriteSummary(
            writer=writer,
            step=_step(step),
            tensor=tf.convert_to_tensor(tensor),
            tag=tag,
            summary_metadata=text,
        ),
    )


def _graph(text: Any, step: Any) -> Any:
    writer = CONTEXT.writer
    if writer is None or writer._resource is None:
        return tf.no_op()
    with tf.device("cpu:0"):
        return tf.raw_ops.WriteGraphSummary(writer=writer._resource, step=_step(step), tensor=text)


def graph(param: Any, step: Any = None, name: str | None = None) -> Any:
    """Write a graph.

    Args:
      param: A serialized ``GraphDef``, a tensor.
      step: The step; by default the global step.
      name: Must be None: the operation is named by TF.

    Returns:
      The operation.

    Raises:
      TypeError: If it is a graph itself: give that to `initialize`.
      ValueError: If a name is given.
    """
    if name is not None:
        raise ValueError("tf.contrib.summary.graph(name=…) is not supported.")
    if isinstance(param, (tf.Graph, tf.GraphDef)) and not tf.executing_eagerly():
        raise TypeError("In a graph, graph() writes a string tensor, such as a placeholder")
    if isinstance(param, tf.Graph):
        param = param.as_graph_def(add_shapes=True)
    text = param.SerializeToString() if isinstance(param, tf.GraphDef) else param
    return _graph(tf.convert_to_tensor(text), step)


def import_event(tensor: Any, name: str | None = None) -> Any:
    """Write a serialized ``Event``."""
    writer = CONTEXT.writer
    if writer is None or writer._resource is None:
        return tf.no_op()
    return tf.raw_ops.ImportEvent(writer=writer._resource, event=tensor, name=name)


def flush(writer: Any = None, name: str | None = None) -> Any:
    """An operation that writes what a writer buffers, by default the current one's."""
    writer = writer or CONTEXT.writer
    if writer is None or writer._resource is None:
        return tf.no_op()
    with tf.device("cpu:0"):
        return tf.raw_ops.FlushSummaryWriter(writer=writer._resource, name=name)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder for an evaluation's events: ``model_dir/eval_name/time``."""
    folder = "eval" if not name else f"eval_{name}"
    stamp = time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime())
    return f"{model_dir}/{folder}/{stamp}"
