"""Transposed convolutions, whose result has the static shape that it was told."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import tensor_util


def _told(op: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(op)
    def told(*args: Any, **kwargs: Any) -> Any:
        shape = kwargs["output_shape"] if "output_shape" in kwargs else args[2]
        result = op(*args, **kwargs)
        if not tf.executing_eagerly():
            result.set_shape(_static(shape))
        return result

    return told


def _static(shape: Any) -> Any:
    """What is known of a shape, without a new op: a graph's names stay."""
    if tf.is_tensor(shape):
        return tensor_util.constant_value_as_shape(shape)
    return [tensor_util.constant_value(n) if tf.is_tensor(n) else n for n in shape]


conv2d_transpose = _told(tf.nn.conv2d_transpose)
atrous_conv2d_transpose = _told(tf.nn.atrous_conv2d_transpose)
