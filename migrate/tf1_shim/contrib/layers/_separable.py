"""``tf.contrib.layers``: separable and in-plane convolutions."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers as core
from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.contrib.framework import add_arg_scope, model_variable
from migrate.tf1_shim.contrib.layers import utils
from migrate.tf1_shim.contrib.layers._common import (
    add_to_collections,
    channels_first,
    finish,
    getter,
)
from migrate.tf1_shim.contrib.layers._initializers import xavier_initializer

__all__ = [
    "conv2d_in_plane",
    "convolution2d_in_plane",
    "separable_conv2d",
    "separable_convolution2d",
]

XAVIER = xavier_initializer()
SEPARABLE = {
    "bias": "biases",
    "depthwise_kernel": "depthwise_weights",
    "pointwise_kernel": "pointwise_weights",
}


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A convolution of each channel by itself, then one that mixes the channels.

    Variables: ``SeparableConv2d/depthwise_weights``, ``…/pointwise_weights``, ``…/biases``.

    Args:
      inputs: A tensor (batch, height, width, channels).
      num_outputs: How many channels the output has; None for the first step alone.
      kernel_size: The window: a number, or two.
      depth_multiplier: How many channels the first step makes of each.
      stride: The steps: a number, or two.
      padding: "SAME", the default, or "VALID".
      data_format: "NHWC" or "NCHW".
      rate: The spacing inside of the window; excludes strides above one.
      activation_fn: The activation, relu by default; None for none.
      normalizer_fn: What to apply instead of a bias, such as `batch_norm`.
      normalizer_params: Its arguments.
      weights_initializer: For the weights.
      pointwise_initializer: For the second step's weights; by default the same.
      weights_regularizer: From the weights to a scalar, added to REGULARIZATION_LOSSES.
      biases_initializer: For the biases; None for no biases.
      biases_regularizer: From the biases to a scalar, added to REGULARIZATION_LOSSES.
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables: a list, or a dictionary from "weights"
        and "biases" to lists.
      outputs_collections: Collections for the output.
      trainable: Whether the variables are trainable.
      scope: The variable scope; by default "SeparableConv2d", with a number.

    Returns:
      The output.
    """
    df = channels_first(data_format, ("NCHW", "NHWC"))
    with tf.variable_scope(
        scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter(SEPARABLE)
    ) as sc:
        inputs = tf.convert_to_tensor(inputs)
        depth_multiplier = int(depth_multiplier)  # slim's networks say 1.0
        use_bias = not normalizer_fn and biases_initializer is not None
        if num_outputs is not None:
            layer = core.SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=df,
                dilation_rate=utils.two_element_tuple(rate),
                activation=None,
                depth_multiplier=depth_multiplier,
                use_bias=use_bias,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=sc.name,
                dtype=inputs.dtype.base_dtype,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            add_to_collections(layer.depthwise_kernel, variables_collections, "weights")
            add_to_collections(layer.pointwise_kernel, variables_collections, "weights")
            if layer.bias is not None:
                add_to_collections(layer.bias, variables_collections, "biases")
        else:
            height, width = utils.two_element_tuple(kernel_size)
            steps = utils.two_element_tuple(stride)
            channels = utils.channel_dimension(inputs.shape, data_format, min_rank=4)
            weights = model_variable(
                "depthwise_weights",
                shape=[height, width, channels, depth_multiplier],
                dtype=inputs.dtype.base_dtype,
                initializer=weights_initializer,
                regularizer=weights_regularizer,
                trainable=trainable,
                collections=utils.get_variable_collections(variables_collections, "weights"),
            )
            first = df == "channels_first"
            outputs = tf.nn.depthwise_conv2d(
                inputs,
                weights,
                [1, 1, *steps] if first else [1, *steps, 1],
                padding,
                rate=utils.two_element_tuple(rate),
                data_format=data_format,
            )
            if use_bias:
                biases = model_variable(
                    "biases",
                    shape=[depth_multiplier * channels],
                    dtype=inputs.dtype.base_dtype,
                    initializer=biases_initializer,
                    regularizer=biases_regularizer,
                    trainable=trainable,
                    collections=utils.get_variable_collections(variables_collections, "biases"),
                )
                outputs = tf.nn.bias_add(outputs, biases, data_format=data_format)
        return finish(
            outputs, sc.name, activation_fn, outputs_collections, normalizer_fn, normalizer_params
        )


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = tf.nn.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """The same small convolution for every channel by itself.

    Variables: ``ConvInPlane/weights`` (height, width, 1, 1) and ``ConvInPlane/biases``.

    Args:
      inputs: A tensor (batch, height, width, channels).
      kernel_size: The window: a number, or two.
      stride: The steps: a number, or two.
      padding: "SAME", the default, or "VALID".
      activation_fn: The activation, relu by default; None for none.
      normalizer_fn: What to apply instead of a bias, such as `batch_norm`.
      normalizer_params: Its arguments.
      weights_initializer: For the weights.
      weights_regularizer: From the weights to a scalar, added to REGULARIZATION_LOSSES.
      biases_initializer: For the biases; None for no biases.
      biases_regularizer: From the biases to a scalar, added to REGULARIZATION_LOSSES.
      reuse: Whether to reuse the variables of the scope.
      variables_collections: Collections for the variables: a list, or a dictionary from "weights"
        and "biases" to lists.
      outputs_collections: Collections for the output.
      trainable: Whether the variables are trainable.
      scope: The variable scope; by default "ConvInPlane", with a number.

    Returns:
      The output.
    """
    with tf.variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        dtype = inputs.dtype.base_dtype
        height, width = utils.two_element_tuple(kernel_size)
        steps = utils.two_element_tuple(stride)
        channels = utils.last_dimension(inputs.shape, min_rank=4)
        weights = model_variable(
            "weights",
            shape=[height, width, 1, 1],
            dtype=dtype,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            collections=utils.get_variable_collections(variables_collections, "weights"),
            trainable=trainable,
        )
        outputs = tf.nn.depthwise_conv2d(
            inputs, tf.tile(weights, [1, 1, channels, 1]), [1, *steps, 1], padding
        )
        if normalizer_fn is None and biases_initializer is not None:
            biases = model_variable(
                "biases",
                shape=[channels],
                dtype=dtype,
                initializer=biases_initializer,
                regularizer=biases_regularizer,
                collections=utils.get_variable_collections(variables_collections, "biases"),
                trainable=trainable,
            )
            outputs = tf.nn.bias_add(outputs, biases)
        return finish(
            outputs, sc.name, activation_fn, outputs_collections, normalizer_fn, normalizer_params
        )


conv2d_in_plane = convolution2d_in_plane
separable_conv2d = separable_convolution2d
