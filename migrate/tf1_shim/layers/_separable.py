"""``tf.layers``: depthwise separable convolutions in one and two dimensions."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers._convbase import Conv

__all__ = ["SeparableConv1D", "SeparableConv2D", "separable_conv1d", "separable_conv2d"]


class _Separable(Conv):
    """What both share."""

    def __init__(
        self,
        *,
        depth_multiplier: int,
        depthwise_initializer: Any,
        pointwise_initializer: Any,
        depthwise_regularizer: Any,
        pointwise_regularizer: Any,
        depthwise_constraint: Any,
        pointwise_constraint: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.depth_multiplier = int(depth_multiplier)
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: Any) -> None:
        """Make both kernels and the bias; the input's channels must be known."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            trainable=True,
            dtype=self._dtype,
        )
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel",
            shape=(*(1,) * self.rank, self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            trainable=True,
            dtype=self._dtype,
        )
        self._add_bias()
        self.built = True

    def _convolve(self, inputs: Any) -> Any:
        first = self.first
        if self.rank == 2:
            steps = (1, 1, *self.strides) if first else (1, *self.strides, 1)
            return tf.nn.separable_conv2d(
                inputs,
                self.depthwise_kernel,
                self.pointwise_kernel,
                strides=steps,
                padding=self.padding.upper(),
                rate=self.dilation_rate,
                data_format=self.layout,
            )
        # TF1 convolved one dimension as an image of height one.
        axis = 2 if first else 1
        if self.padding == "causal":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            pads = [[0, 0], [0, 0], [left, 0]] if first else [[0, 0], [left, 0], [0, 0]]
            inputs = tf.pad(inputs, pads)
        steps = (1, 1, *self.strides * 2) if first else (1, *self.strides * 2, 1)
        outputs = tf.nn.separable_conv2d(
            tf.expand_dims(inputs, axis),
            tf.expand_dims(self.depthwise_kernel, 0),
            tf.expand_dims(self.pointwise_kernel, 0),
            strides=steps,
            padding="VALID" if self.padding == "causal" else self.padding.upper(),
            rate=(1, *self.dilation_rate),
            data_format="NCHW" if first else "NHWC",
        )
        return tf.squeeze(self._biased_image(outputs), [axis])

    def _biased_image(self, outputs: Any) -> Any:
        if not self.use_bias:
            return outputs
        return tf.nn.bias_add(outputs, self.bias, data_format="NCHW" if self.first else "NHWC")

    def _finish(self, outputs: Any) -> Any:
        if self.rank == 2:
            return super()._finish(outputs)
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv1D(_Separable):
    """A depthwise separable convolution over (batch, length, channels).

    Its arguments are those of `separable_conv1d`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer: see `separable_conv1d`."""
        super().__init__(
            rank=1,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class SeparableConv2D(_Separable):
    """A depthwise separable convolution over (batch, height, width, channels).

    Its arguments are those of `separable_conv2d`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Make the layer: see `separable_conv2d`."""
        super().__init__(
            rank=2,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


def separable_conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A convolution of each channel by itself, followed by one that mixes the channels.

    Variables: ``depthwise_kernel`` (\\*window, channels, depth_multiplier), ``pointwise_kernel``
    (1 …, channels * depth_multiplier, filters) and ``bias`` (filters).

    Args:
      inputs: A tensor (batch, length, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number.
      strides: The steps: a number.
      padding: "valid" or "same" or "causal".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      dilation_rate: The spacing inside of the window; excludes strides above one.
      depth_multiplier: How many channels the first step makes of each.
      activation: A callable or a name; None for none.
      use_bias: Whether to add a bias.
      depthwise_initializer: For the depthwise kernel; None for the scope's default.
      pointwise_initializer: For the pointwise kernel; None for the scope's default.
      bias_initializer: For the bias.
      depthwise_regularizer: From the depthwise kernel to a scalar loss.
      pointwise_regularizer: From the pointwise kernel to a scalar loss.
      bias_regularizer: From the bias to a scalar loss.
      activity_regularizer: From the output to a scalar; divided by the batch size.
      depthwise_constraint: Applied to the depthwise kernel after the optimizer's update.
      pointwise_constraint: Applied to the pointwise kernel after the optimizer's update.
      bias_constraint: Applied to the bias after the optimizer's update.
      trainable: Whether the variables are trainable.
      name: The scope; by default "separable_conv1d", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output.
    """
    layer = SeparableConv1D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
        depth_multiplier=depth_multiplier,
        activation=activation,
        use_bias=use_bias,
        depthwise_initializer=depthwise_initializer,
        pointwise_initializer=pointwise_initializer,
        bias_initializer=bias_initializer,
        depthwise_regularizer=depthwise_regularizer,
        pointwise_regularizer=pointwise_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        depthwise_constraint=depthwise_constraint,
        pointwise_constraint=pointwise_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs)


def separable_conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    depthwise_initializer: Any = None,
    pointwise_initializer: Any = None,
    bias_initializer: Any = ZEROS,
    depthwise_regularizer: Any = None,
    pointwise_regularizer: Any = None,
    bias_regularizer: Any = None,
    activity_regularizer: Any = None,
    depthwise_constraint: Any = None,
    pointwise_constraint: Any = None,
    bias_constraint: Any = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A convolution of each channel by itself, followed by one that mixes the channels.

    Variables: ``depthwise_kernel`` (\\*window, channels, depth_multiplier), ``pointwise_kernel``
    (1 …, channels * depth_multiplier, filters) and ``bias`` (filters).

    Args:
      inputs: A tensor (batch, height, width, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      dilation_rate: The spacing inside of the window; excludes strides above one.
      depth_multiplier: How many channels the first step makes of each.
      activation: A callable or a name; None for none.
      use_bias: Whether to add a bias.
      depthwise_initializer: For the depthwise kernel; None for the scope's default.
      pointwise_initializer: For the pointwise kernel; None for the scope's default.
      bias_initializer: For the bias.
      depthwise_regularizer: From the depthwise kernel to a scalar loss.
      pointwise_regularizer: From the pointwise kernel to a scalar loss.
      bias_regularizer: From the bias to a scalar loss.
      activity_regularizer: From the output to a scalar; divided by the batch size.
      depthwise_constraint: Applied to the depthwise kernel after the optimizer's update.
      pointwise_constraint: Applied to the pointwise kernel after the optimizer's update.
      bias_constraint: Applied to the bias after the optimizer's update.
      trainable: Whether the variables are trainable.
      name: The scope; by default "separable_conv2d", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output.
    """
    layer = SeparableConv2D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
        depth_multiplier=depth_multiplier,
        activation=activation,
        use_bias=use_bias,
        depthwise_initializer=depthwise_initializer,
        pointwise_initializer=pointwise_initializer,
        bias_initializer=bias_initializer,
        depthwise_regularizer=depthwise_regularizer,
        pointwise_regularizer=pointwise_regularizer,
        bias_regularizer=bias_regularizer,
        activity_regularizer=activity_regularizer,
        depthwise_constraint=depthwise_constraint,
        pointwise_constraint=pointwise_constraint,
        bias_constraint=bias_constraint,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs)
