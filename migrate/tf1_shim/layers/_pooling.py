"""``tf.layers``: average and maximum pooling in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.layers._core import data_format_of
from migrate.tf1_shim.layers._layer import Layer
from migrate.tf1_shim.layers._sizes import output_length, padding_of, sizes_of
from migrate.tf1_shim.layers._spec import InputSpec

__all__ = [
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "average_pooling1d",
    "average_pooling2d",
    "average_pooling3d",
    "max_pooling1d",
    "max_pooling2d",
    "max_pooling3d",
]


class _Pooling(Layer):
    """What the six pooling layers share."""

    _rank = 2
    _average = False

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer.

        Args:
          pool_size: The window: a number, or one for each spatial axis.
          strides: The steps: a number, or one for each spatial axis; None for ``pool_size``.
          padding: "valid" or "same".
          data_format: "channels_last" or "channels_first".
          name: The scope's name.
          **kwargs: As for `Layer`.
        """
        super().__init__(name=name, **kwargs)
        self.pool_size = sizes_of(pool_size, self._rank, "pool_size")
        self.strides = sizes_of(pool_size if strides is None else strides, self._rank, "strides")
        self.padding = padding_of(padding)
        self.data_format = data_format_of(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs: Any) -> Any:
        """The pooled inputs."""
        first = self.data_format == "channels_first"
        pool = {
            (2, True): tf.nn.avg_pool,
            (2, False): tf.nn.max_pool,
            (3, True): tf.nn.avg_pool3d,
            (3, False): tf.nn.max_pool3d,
        }[max(self._rank, 2), self._average]
        if self._rank == 1:
            # TF1 pooled one dimension as an image of width one.
            axis = 3 if first else 2
            outputs = self._pool2(pool, tf.expand_dims(inputs, axis), first)
            return tf.squeeze(outputs, [axis])
        if self._rank == 3:
            if first:
                inputs = tf.transpose(inputs, (0, 2, 3, 4, 1))
            outputs = pool(
                inputs,
                (1, *self.pool_size, 1),
                (1, *self.strides, 1),
                padding=self.padding.upper(),
            )
            return tf.transpose(outputs, (0, 4, 1, 2, 3)) if first else outputs
        ones = (1, 1)
        return pool(
            inputs,
            ksize=(*ones, *self.pool_size) if first else (1, *self.pool_size, 1),
            strides=(*ones, *self.strides) if first else (1, *self.strides, 1),
            padding=self.padding.upper(),
            data_format="NCHW" if first else "NHWC",
        )

    def _pool2(self, pool: Any, inputs: Any, first: bool) -> Any:
        if first:
            inputs = tf.transpose(inputs, (0, 2, 3, 1))
        outputs = pool(
            inputs,
            ksize=(1, *self.pool_size, 1, 1),
            strides=(1, *self.strides, 1, 1),
            padding=self.padding.upper(),
        )
        return tf.transpose(outputs, (0, 3, 1, 2)) if first else outputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape after pooling."""
        sizes = tf.TensorShape(input_shape).as_list()
        at = 2 if self.data_format == "channels_first" else 1
        for i, (window, step) in enumerate(zip(self.pool_size, self.strides, strict=True)):
            sizes[at + i] = output_length(sizes[at + i], window, self.padding, step)
        return tf.TensorShape(sizes)


class AveragePooling1D(_Pooling):
    """The mean over windows of (batch, length, channels)."""

    _rank, _average = 1, True


class MaxPooling1D(_Pooling):
    """The maximum over windows of (batch, length, channels)."""

    _rank, _average = 1, False


class AveragePooling2D(_Pooling):
    """The mean over windows of (batch, height, width, channels)."""

    _rank, _average = 2, True


class MaxPooling2D(_Pooling):
    """The maximum over windows of (batch, height, width, channels)."""

    _rank, _average = 2, False


class AveragePooling3D(_Pooling):
    """The mean over windows of (batch, depth, height, width, channels)."""

    _rank, _average = 3, True


class MaxPooling3D(_Pooling):
    """The maximum over windows of (batch, depth, height, width, channels)."""

    _rank, _average = 3, False


def average_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean over windows.

    Args:
      inputs: A tensor (batch, length, channels).
      pool_size: The window: a number.
      strides: The steps: a number.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "average_pooling1d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = AveragePooling1D(
        pool_size, strides, padding=padding, data_format=data_format, name=name
    )
    return layer.apply(inputs)


def average_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean over windows.

    Args:
      inputs: A tensor (batch, height, width, channels).
      pool_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "average_pooling2d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = AveragePooling2D(
        pool_size, strides, padding=padding, data_format=data_format, name=name
    )
    return layer.apply(inputs)


def average_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The mean over windows.

    Args:
      inputs: A tensor (batch, depth, height, width, channels).
      pool_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "average_pooling3d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = AveragePooling3D(
        pool_size, strides, padding=padding, data_format=data_format, name=name
    )
    return layer.apply(inputs)


def max_pooling1d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum over windows.

    Args:
      inputs: A tensor (batch, length, channels).
      pool_size: The window: a number.
      strides: The steps: a number.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "max_pooling1d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = MaxPooling1D(pool_size, strides, padding=padding, data_format=data_format, name=name)
    return layer.apply(inputs)


def max_pooling2d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum over windows.

    Args:
      inputs: A tensor (batch, height, width, channels).
      pool_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "max_pooling2d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = MaxPooling2D(pool_size, strides, padding=padding, data_format=data_format, name=name)
    return layer.apply(inputs)


def max_pooling3d(
    inputs: Any,
    pool_size: Any,
    strides: Any,
    padding: str = "valid",
    data_format: str = "channels_last",
    name: str | None = None,
) -> Any:
    """The maximum over windows.

    Args:
      inputs: A tensor (batch, depth, height, width, channels).
      pool_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      name: The name scope; by default "max_pooling3d", with a number.

    Returns:
      The pooled tensor.
    """
    layer = MaxPooling3D(pool_size, strides, padding=padding, data_format=data_format, name=name)
    return layer.apply(inputs)
