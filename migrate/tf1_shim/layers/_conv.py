"""``tf.layers``: convolutions in one, two and three dimensions."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers._convbase import Conv

__all__ = ["Conv1D", "Conv2D", "Conv3D", "conv1d", "conv2d", "conv3d"]


class Conv1D(Conv):
    """A convolution over (batch, length, channels); its arguments are those of `conv1d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
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
        """Make the layer: see `conv1d`."""
        super().__init__(
            rank=1,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
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


class Conv2D(Conv):
    """A convolution over (batch, height, width, channels); its arguments are those of `conv2d`."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1),
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
        """Make the layer: see `conv2d`."""
        super().__init__(
            rank=2,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
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


class Conv3D(Conv):
    """A convolution over (batch, depth, height, width, channels).

    Its arguments are those of `conv3d`.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = (1, 1, 1),
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
        """Make the layer: see `conv3d`."""
        super().__init__(
            rank=3,
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
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


def conv1d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = 1,
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = 1,
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
    """A convolution: ``activation(conv(inputs, kernel) + bias)``.

    Args:
      inputs: A tensor (batch, length, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number.
      strides: The steps: a number.
      padding: "valid" or "same" or "causal".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      dilation_rate: The spacing inside of the window; excludes strides above one.
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
      name: The scope; by default "conv1d", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output.
    """
    layer = Conv1D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
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


def conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1),
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
    """A convolution: ``activation(conv(inputs, kernel) + bias)``.

    Args:
      inputs: A tensor (batch, height, width, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      dilation_rate: The spacing inside of the window; excludes strides above one.
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
      name: The scope; by default "conv2d", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output.
    """
    layer = Conv2D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
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


def conv3d(
    inputs: Any,
    filters: int,
    kernel_size: Any,
    strides: Any = (1, 1, 1),
    padding: str = "valid",
    data_format: str = "channels_last",
    dilation_rate: Any = (1, 1, 1),
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
    """A convolution: ``activation(conv(inputs, kernel) + bias)``.

    Args:
      inputs: A tensor (batch, depth, height, width, channels) whose channels are known.
      filters: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      strides: The steps: a number, or one for each spatial axis.
      padding: "valid" or "same".
      data_format: "channels_last", or "channels_first" for inputs (batch, channels, ...).
      dilation_rate: The spacing inside of the window; excludes strides above one.
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
      name: The scope; by default "conv3d", with a number.
      reuse: Whether to reuse the variables of the scope ``name``.

    Returns:
      The output.
    """
    layer = Conv3D(
        filters=filters,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilation_rate=dilation_rate,
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
