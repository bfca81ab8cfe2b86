"""``tf.contrib.layers``: summaries of activations, tensors and collections."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "summarize_activation",
    "summarize_activations",
    "summarize_biases",
    "summarize_collection",
    "summarize_tensor",
    "summarize_tensors",
    "summarize_variables",
    "summarize_weights",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.layers.summaries")

Summarizer = Callable[[Any], Any]


def summarize_activation(op: Any) -> Any:
    """Summaries of an activation: the share of inputs below zero for relu, a histogram.

    Args:
      op: A tensor.

    Returns:
      The histogram's summary.
    """
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        given = op.op.inputs[0]
        below = tf.cast(tf.less(given, tf.cast(0.0, given.dtype)), tf.float32)
        tf.summary.scalar(f"{op.op.name}/zeros", tf.reduce_mean(below))
    if op.op.type == "Relu6":
        above = tf.cast(tf.greater(given, tf.cast(6.0, given.dtype)), tf.float32)
        tf.summary.scalar(f"{op.op.name}/sixes", tf.reduce_mean(above))
    return tf.summary.histogram(f"{op.op.name}/activation", op)


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """A scalar summary of a scalar, a histogram of anything else.

    Args:
      tensor: A tensor or a variable.
      tag: The tag; by default the operation's name and "_summary".

    Returns:
      The summary, or None for strings and bools.
    """
    if tensor.dtype.base_dtype in (tf.string, tf.bool):
        return None
    tag = tag or f"{tensor.op.name}_summary"
    return (tf.summary.scalar if tensor.shape.rank == 0 else tf.summary.histogram)(tag, tensor)


def summarize_tensors(tensors: Any, summarizer: Summarizer = summarize_tensor) -> list[Any]:
    """The summaries of several tensors."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """The summaries of a collection.

    Args:
      collection: Its name.
      name_filter: A regular expression that an operation's name must match from its start.
      summarizer: What summarizes one tensor.

    Returns:
      The summaries.
    """
    tensors = [
        tensor
        for tensor in tf.get_collection(collection)
        if name_filter is None or re.match(name_filter, tensor.op.name)
    ]
    return summarize_tensors(tensors, summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Summarizer = summarize_activation
) -> list[Any]:
    """The summaries of the collection ACTIVATIONS."""
    return summarize_collection(tf.GraphKeys.ACTIVATIONS, name_filter, summarizer)


def summarize_variables(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """The summaries of the global variables."""
    return summarize_collection(tf.GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """The summaries of the collection WEIGHTS."""
    return summarize_collection(tf.GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """The summaries of the collection BIASES."""
    return summarize_collection(tf.GraphKeys.BIASES, name_filter, summarizer)
