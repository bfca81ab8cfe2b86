"""``tf.contrib.layers``: transposed convolutions."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers as core
from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.contrib.framework import add_arg_scope
from migrate.tf1_shim.contrib.layers._common import (
    add_to_collections,
    channels_first,
    finish,
    getter,
)
from migrate.tf1_shim.contrib.layers._initializers import xavier_initializer

__all__ = [
    "conv2d_transpose",
    "conv3d_transpose",
    "convolution2d_transpose",
    "convolution3d_transpose",
]

XAVIER = xavier_initializer()
NAMES = {"bias": "biases", "kernel": "weights"}


@add_arg_scope
def convolution2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
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
    """A transposed convolution over two axes.

    Args:
      inputs: A tensor of rank 4 whose channels are known.
      num_outputs: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps: a number, or one for each spatial axis.
      padding: "SAME", the default, or "VALID".
      data_format: "NHWC", or with the channels first.
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
      scope: The variable scope; by default "Conv2d_transpose", with a number.

    Returns:
      The output.
    """
    df = channels_first(data_format, ("NCHW", "NHWC"))
    with tf.variable_scope(
        scope, "Conv2d_transpose", [inputs], reuse=reuse, custom_getter=getter(NAMES)
    ) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = core.Conv2DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=df,
            activation=None,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        add_to_collections(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            add_to_collections(layer.bias, variables_collections, "biases")
        return finish(
            outputs, sc.name, activation_fn, outputs_collections, normalizer_fn, normalizer_params
        )


@add_arg_scope
def convolution3d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NDHWC",
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
    """A transposed convolution over three axes.

    Args:
      inputs: A tensor of rank 5 whose channels are known.
      num_outputs: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps: a number, or one for each spatial axis.
      padding: "SAME", the default, or "VALID".
      data_format: "NDHWC", or with the channels first.
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
      scope: The variable scope; by default "Conv3d_transpose", with a number.

    Returns:
      The output.
    """
    df = channels_first(data_format, ("NCDHW", "NDHWC"))
    with tf.variable_scope(
        scope, "Conv3d_transpose", [inputs], reuse=reuse, custom_getter=getter(NAMES)
    ) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = core.Conv3DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=df,
            activation=None,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        add_to_collections(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            add_to_collections(layer.bias, variables_collections, "biases")
        return finish(
            outputs, sc.name, activation_fn, outputs_collections, normalizer_fn, normalizer_params
        )


conv2d_transpose = convolution2d_transpose
conv3d_transpose = convolution3d_transpose
