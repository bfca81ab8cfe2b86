"""``tf.contrib.deprecated``: the summaries of TensorFlow 0.x, whose tags stay as written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "audio_summary",
    "histogram_summary",
    "image_summary",
    "merge_all_summaries",
    "merge_summary",
    "scalar_summary",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.deprecated")


def _collected(summary: Any, collections: Sequence[str] | None) -> Any:
    for key in [tf.GraphKeys.SUMMARIES] if collections is None else collections:
        tf.add_to_collection(key, summary)
    return summary


def scalar_summary(
    tags: Any, values: Any, collections: Sequence[str] | None = None, name: str | None = None
) -> Any:
    """Scalars, each under its own tag.

    Args:
      tags: Strings, of the shape of `values`. No name scope is put before them.
      values: Real numbers.
      collections: The collections to join, by default [SUMMARIES].
      name: The operation's name, "ScalarSummary" by default.

    Returns:
      The summary, a scalar string tensor.
    """
    with tf.name_scope(name, "ScalarSummary", [tags, values]) as scope:
        values = tf.convert_to_tensor(values)
        return _collected(
            tf.raw_ops.ScalarSummary(tags=tags, values=values, name=scope), collections
        )


def histogram_summary(
    tag: Any, values: Any, collections: Sequence[str] | None = None, name: str | None = None
) -> Any:
    """A histogram.

    Args:
      tag: A string.
      values: Real numbers of any shape.
      collections: The collections to join, by default [SUMMARIES].
      name: The operation's name, "HistogramSummary" by default.

    Returns:
      The summary, a scalar string tensor.
    """
    with tf.name_scope(name, "HistogramSummary", [tag, values]) as scope:
        values = tf.convert_to_tensor(values)
        return _collected(
            tf.raw_ops.HistogramSummary(tag=tag, values=values, name=scope), collections
        )


def image_summary(
    tag: Any,
    tensor: Any,
    max_images: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Any:
    """Images, as PNG, under "tag/image/0", "tag/image/1" and so on.

    Args:
      tag: A string.
      tensor: (batch, height, width, channels) of uint8 or of floats, with one, three or four
        channels.
      max_images: How many of the batch to keep.
      collections: The collections to join, by default [SUMMARIES].
      name: The operation's name, "ImageSummary" by default.

    Returns:
      The summary, a scalar string tensor.
    """
    with tf.name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        made = tf.raw_ops.ImageSummary(
            tag=tag, tensor=tf.convert_to_tensor(tensor), max_images=max_images, name=scope
        )
        return _collected(made, collections)


def audio_summary(
    tag: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Any:
    """Sound, as WAV.

    Args:
      tag: A string.
      tensor: (batch, frames, channels) or (batch, frames) of float32 between -1 and 1.
      sample_rate: In Hertz.
      max_outputs: How many of the batch to keep.
      collections: The collections to join, by default [SUMMARIES].
      name: The operation's name, "AudioSummary" by default.

    Returns:
      The summary, a scalar string tensor.
    """
    with tf.name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        made = tf.raw_ops.AudioSummaryV2(
            tag=tag,
            tensor=tensor,
            sample_rate=tf.cast(sample_rate, tf.float32),
            max_outputs=max_outputs,
            name=scope,
        )
        return _collected(made, collections)


def merge_summary(
    inputs: Sequence[Any], collections: Sequence[str] | None = None, name: str | None = None
) -> Any:
    """All of some summaries in one.

    Args:
      inputs: Summaries.
      collections: The collections to join, none by default.
      name: The operation's name, "MergeSummary" by default.

    Returns:
      The summary, a scalar string tensor.
    """
    with tf.name_scope(name, "MergeSummary", inputs):
        return _collected(tf.raw_ops.MergeSummary(inputs=inputs, name=name), collections or [])


def merge_all_summaries(key: str = tf.GraphKeys.SUMMARIES) -> Any:
    """All summaries of a collection in one.

    Args:
      key: The collection.

    Returns:
      The summary, or None if the collection is empty.
    """
    inputs = tf.get_collection(key)
    return merge_summary(inputs) if inputs else None
