"""``tf.contrib.resampler``: values of an image at points between its pixels."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["resampler"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.resampler")


def resampler(data: Any, warp: Any, name: str = "resampler") -> Any:
    """Interpolate bilinearly; what lies outside of the image is 0.

    Args:
      data: A float tensor (batch, height, width, channels).
      warp: Points (batch, …, 2) of (x, y), in pixels.
      name: The name scope.

    Returns:
      (batch, …, channels), differentiable by both.
    """
    with tf.name_scope(name, "resampler", [data, warp]):
        data = tf.convert_to_tensor(data, name="data")
        warp = tf.convert_to_tensor(warp, name="warp")
        shape = tf.shape(data)
        batch, height, width = shape[0], shape[1], shape[2]
        outer = tf.shape(warp)[:-1]
        points = tf.reshape(warp, [batch, -1, 2])
        x, y = points[..., 0], points[..., 1]
        left, top = tf.floor(x), tf.floor(y)
        right_part, bottom_part = x - left, y - top
        flat = tf.reshape(data, [batch * height * width, shape[3]])
        base = tf.reshape(tf.range(batch) * height * width, [-1, 1])

        def at(column: Any, row: Any) -> Any:
            column, row = tf.cast(column, tf.int32), tf.cast(row, tf.int32)
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
            place = base + tf.where(inside, row * width + column, tf.zeros_like(row))
            return tf.gather(flat, place) * tf.cast(inside, data.dtype)[..., tf.newaxis]

        total = tf.zeros([], data.dtype)
        for column, across in ((left, 1.0 - right_part), (left + 1.0, right_part)):
            for row, down in ((top, 1.0 - bottom_part), (top + 1.0, bottom_part)):
                total += at(column, row) * (across * down)[..., tf.newaxis]
        found = tf.reshape(total, tf.concat([outer, shape[3:]], 0))
        found.set_shape(warp.shape[:-1].concatenate(data.shape[-1:]))
        return found
