"""What the convolutions of ``tf.layers`` share."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _values
from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.layers._core import data_format_of
from migrate.tf1_shim.layers._layer import Layer
from migrate.tf1_shim.layers._sizes import output_length, padding_of, sizes_of
from migrate.tf1_shim.layers._spec import InputSpec

__all__ = ["LAYOUTS", "Conv"]

#: TF's names of the layouts, by rank and by whether the channels come first.
LAYOUTS = {
    (1, False): "NWC",
    (1, True): "NCW",
    (2, False): "NHWC",
    (2, True): "NCHW",
    (3, False): "NDHWC",
    (3, True): "NCDHW",
}


class Conv(Layer):
    """What the convolutions of all ranks share.

    Variables: ``kernel`` (\\*window, input channels, filters) and ``bias`` (filters).
    """

    def __init__(
        self,
        rank: int,
        filters: int | None,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
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
        """Make the layer.

        Args:
          rank: How many spatial axes the input has.
          filters: How many channels the output has.
          kernel_size: The window: a number, or one for each spatial axis.
          strides: The steps: a number, or one for each spatial axis.
          padding: "valid" or "same"; in one dimension also "causal".
          data_format: "channels_last" or "channels_first".
          dilation_rate: The spacing inside of the window; excludes strides above one.
          activation: A callable or a name; None for none.
          use_bias: Whether to add a bias.
          kernel_initializer: For the kernel; None for the scope's default, Glorot uniform.
          bias_initializer: For the bias.
          kernel_regularizer: From the kernel to a scalar loss.
          bias_regularizer: From the bias to a scalar loss.
          activity_regularizer: From the output to a scalar loss.
          kernel_constraint: Applied to the kernel after the optimizer's update.
          bias_constraint: Applied to the bias after the optimizer's update.
          trainable: Whether the variables are trainable.
          name: The scope's name.
          **kwargs: As for `Layer`.
        """
        super().__init__(
            trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs
        )
        self.rank = rank
        self.filters = int(filters) if filters is not None else None
        self.kernel_size = sizes_of(kernel_size, rank, "kernel_size")
        self.strides = sizes_of(strides, rank, "strides")
        self.padding = padding_of(padding, causal=rank == 1)
        self.data_format = data_format_of(data_format)
        self.dilation_rate = sizes_of(dilation_rate, rank, "dilation_rate")
        self.activation = _values.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.bias: Any = None
        self.input_spec = InputSpec(ndim=rank + 2)

    @property
    def first(self) -> bool:
        """Whether the channels come before the spatial axes."""
        return bool(self.data_format == "channels_first")

    @property
    def layout(self) -> str:
        """The layout as the operations call it."""
        return LAYOUTS[self.rank, self.first]

    def _channels(self, input_shape: Any) -> int:
        axis = 1 if self.first else -1
        size = tf.TensorShape(input_shape).as_list()[axis]
        if size is None:
            raise ValueError(f"The channels need a known size. Received: {input_shape}")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: size})
        return int(size)

    def _add_kernel(self, shape: Any) -> None:
        self.kernel = self.add_weight(
            name="kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self._dtype,
        )

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(self.filters,),
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                trainable=True,
                dtype=self._dtype,
            )

    def build(self, input_shape: Any) -> None:
        """Make the kernel and the bias; the input's channels must be known."""
        channels = self._channels(input_shape)
        self._add_kernel((*self.kernel_size, channels, self.filters))
        self._add_bias()
        self.built = True

    def _convolve(self, inputs: Any) -> Any:
        op = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[self.rank]
        strides: Any = self.strides[0]
        if self.rank > 1:
            ones = (1, 1)
            strides = (*ones, *self.strides) if self.first else (1, *self.strides, 1)
        padding = "VALID" if self.padding == "causal" else self.padding.upper()
        if self.padding == "causal":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            pads = [[0, 0], [0, 0], [left, 0]] if self.first else [[0, 0], [left, 0], [0, 0]]
            inputs = tf.pad(inputs, pads)

        def convolve(values: Any, padding: str) -> Any:
            named = {"stride": strides} if self.rank == 1 else {"strides": strides}
            return op(values, self.kernel, padding=padding, data_format=self.layout, **named)

        if all(rate == 1 for rate in self.dilation_rate):
            return convolve(inputs, padding)
        if any(step > 1 for step in self.strides):
            raise ValueError(
                "A dilated convolution moves by one. Received: "
                f"strides={self.strides}, dilation_rate={self.dilation_rate}"
            )
        # The kernels for gradients of dilated convolutions are missing on CPU: do as TF1 did.
        return tf.nn.with_space_to_batch(
            inputs,
            self.dilation_rate,
            padding,
            lambda values, spatial, padding: convolve(values, padding),
            filter_shape=self.kernel.shape,
            data_format=self.layout,
        )

    def _add_bias_to(self, outputs: Any) -> Any:
        if not self.first:
            return tf.nn.bias_add(outputs, self.bias)
        if self.rank == 2:
            return tf.nn.bias_add(outputs, self.bias, data_format="NCHW")
        return outputs + tf.reshape(self.bias, (1, self.filters, *(1,) * self.rank))

    def _finish(self, outputs: Any) -> Any:
        if self.use_bias:
            outputs = self._add_bias_to(outputs)
        return outputs if self.activation is None else self.activation(outputs)

    def call(self, inputs: Any) -> Any:
        """``activation(conv(inputs, kernel) + bias)``."""
        return self._finish(self._convolve(inputs))

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output."""
        sizes = tf.TensorShape(input_shape).as_list()
        at = 2 if self.first else 1
        padding = "valid" if self.padding == "valid" else "same"
        space = [
            output_length(size, window, padding, step, rate)
            for size, window, step, rate in zip(
                sizes[at : at + self.rank],
                self.kernel_size,
                self.strides,
                self.dilation_rate,
                strict=True,
            )
        ]
        if self.first:
            return tf.TensorShape([sizes[0], self.filters, *space])
        return tf.TensorShape([sizes[0], *space, self.filters])
