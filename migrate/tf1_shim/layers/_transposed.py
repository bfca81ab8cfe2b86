"""``tf.layers``: transposed convolutions in two and three dimensions."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers._convbase import Conv
from migrate.tf1_shim.layers._sizes import deconv_length

__all__ = ["Conv2DTranspose", "Conv3DTranspose", "conv2d_transpose", "conv3d_transpose"]


class _Transposed(Conv):
    """What both share. The kernel is (\\*window, filters, input channels)."""

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias; the input's channels must be known."""
        channels = self._channels(input_shape)
        self._add_kernel((*self.kernel_size, self.filters, channels))
        self._add_bias()
        self.built = True

    def _lengths(self, sizes: list[Any]) -> list[Any]:
        at = 2 if self.first else 1
        return [
            deconv_length(size, window, self.padding, step)
            for size, window, step in zip(
                sizes[at : at + self.rank], self.kernel_size, self.strides, strict=True
            )
        ]

    def _around(self, batch: Any, space: list[Any]) -> list[Any]:
        return [batch, self.filters, *space] if self.first else [batch, *space, self.filters]

    def call(self, inputs: Any) -> Any:
        """``activation(conv_transpose(inputs, kernel) + bias)``."""
        dynamic = tf.shape(inputs)
        space = self._lengths([dynamic[i] for i in range(self.rank + 2)])
        op = tf.nn.conv2d_transpose if self.rank == 2 else tf.nn.conv3d_transpose
        outputs = op(
            inputs,
            self.kernel,
            tf.stack(self._around(dynamic[0], space)),
            strides=(1, 1, *self.strides) if self.first else (1, *self.strides, 1),
            padding=self.padding.upper(),
            data_format=self.layout,
        )
        if not tf.executing_eagerly():
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._finish(outputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output."""
        sizes = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape(self._around(sizes[0], self._lengths(sizes)))


class Conv2DTranspose(_Transposed):
    """A transposed convolution over (batch, height, width, channels).

    Its arguments are those of `conv2d_transpose`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer: see `conv2d_transpose`."""
        super().__init__(
            rank=2,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Conv3DTranspose(_Transposed):
    """A transposed convolution over (batch, depth, height, width, channels).

    Its arguments are those of `conv3d_transpose`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer: see `conv3d_transpose`."""
        super().__init__(
            rank=3,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A transposed convolution, the gradient of a convolution used forwards.

    Args:
      inputs: A tensor (batch, height, width, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      activation: A callable or a name; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: For the kernel; None for the scope's default, Glorot uniform.
      bias_initializer: For the bias.
      kernel_regularizer: From the kernel to a scalar, added to REGULARIZATION_LOSSES.
      bias_regularizer: From the bias to a scalar, added to REGULARIZATION_LOSSES.
      activity_regularizer: From the output to a scalar; divided by the batch size.
      kernel_constraint: Applied to the kernel after the optimizer's update.
      bias_constraint: Applied to the bias after the optimizer's update.
      trainable: Whether the variables are trainable.
      name: The scope; by default "conv2d_transpose", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output; an axis of n becomes n * stride ("same") or n * stride + max(window - stride, 0).
    """
    layer = Conv2DTranspose(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs)


def conv3d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    kernel_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    kernel_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A transposed convolution, the gradient of a convolution used forwards.

    Args:
      inputs: A tensor (batch, depth, height, width, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      activation: A callable or a name; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: For the kernel; None for the scope's default, Glorot uniform.
      bias_initializer: For the bias.
      kernel_regularizer: From the kernel to a scalar, added to REGULARIZATION_LOSSES.
      bias_regularizer: From the bias to a scalar, added to REGULARIZATION_LOSSES.
      activity_regularizer: From the output to a scalar; divided by the batch size.
      kernel_constraint: Applied to the kernel after the optimizer's update.
      bias_constraint: Applied to the bias after the optimizer's update.
      trainable: Whether the variables are trainable.
      name: The scope; by default "conv3d_transpose", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output; an axis of n becomes n * stride ("same") or n * stride + max(window - stride, 0).
    """
    layer = Conv3DTranspose(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        activation=activation,
        use_bias=use_bias,
        kernel_initializer=kernel_initializer,
        bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs)
