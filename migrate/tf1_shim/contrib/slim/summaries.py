"""``slim.summaries``: summaries of tensors, named after their operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "add_histogram_summaries",
    "add_histogram_summary",
    "add_image_summaries",
    "add_image_summary",
    "add_scalar_summaries",
    "add_scalar_summary",
    "add_zero_fraction_summaries",
    "add_zero_fraction_summary",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.summaries")


def _tag(tensor: Any, name: str | None, prefix: str | None, postfix: str = "") -> str:
    """``prefix/name/postfix``; the name is that of the tensor's operation by default."""
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _add(make: Any, tag: str, tensor: Any, printed: bool) -> Any:
    if not printed:
        return make(tag, tensor)
    # Only the operation that prints is to be in the collection.
    summary = tf.Print(make(tag, tensor, collections=[]), [tensor], tag)
    tf.add_to_collection(tf.GraphKeys.SUMMARIES, summary)
    return summary


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """A histogram summary.

    Args:
      tensor: A tensor of numbers.
      name: The tag; by default the name of the tensor's operation.
      prefix: Put before it, with a slash.

    Returns:
      The summary, a scalar string tensor.
    """
    return tf.summary.histogram(_tag(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of images.

    Args:
      tensor: (batch, height, width, channels), with one, three or four channels.
      name: The tag; by default the name of the tensor's operation.
      prefix: Put before it, with a slash.
      print_summary: Whether the tensor is printed to stderr when the summary is computed.

    Returns:
      The summary, a scalar string tensor.
    """
    return _add(tf.summary.image, _tag(tensor, name, prefix), tensor, print_summary)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of a scalar.

    Args:
      tensor: A scalar of numbers.
      name: The tag; by default the name of the tensor's operation.
      prefix: Put before it, with a slash.
      print_summary: Whether the tensor is printed to stderr when the summary is computed.

    Returns:
      The summary, a scalar string tensor.
    """
    return _add(tf.summary.scalar, _tag(tensor, name, prefix), tensor, print_summary)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of the share of zeros in a tensor, tagged "…/Fraction_of_Zero_Values".

    Args:
      tensor: A tensor of numbers.
      name: The tag's first part; by default the name of the tensor's operation.
      prefix: Put before it, with a slash.
      print_summary: Whether the share is printed to stderr when the summary is computed.

    Returns:
      The summary, a scalar string tensor.
    """
    tag = _tag(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(tf.nn.zero_fraction(tensor), tag, print_summary=print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """`add_histogram_summary` of each tensor."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """`add_image_summary` of each tensor."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Any]:
    """`add_scalar_summary` of each tensor."""
    return [
        add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors
    ]


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """`add_zero_fraction_summary` of each tensor."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
