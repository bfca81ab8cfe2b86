"""``tf.contrib.layers``: convolutions and fully connected layers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
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
    "conv1d",
    "conv2d",
    "conv3d",
    "convolution",
    "convolution1d",
    "convolution2d",
    "convolution3d",
    "elu",
    "fully_connected",
    "linear",
    "relu",
    "relu6",
]

XAVIER = xavier_initializer()
NAMES = {"bias": "biases", "kernel": "weights"}
CLASSES = {3: core.Conv1D, 4: core.Conv2D, 5: core.Conv3D}


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    conv_dims: int | None = None,
) -> Any:
    """A convolution over one, two or three axes, by the rank of the inputs.

    Variables: ``Conv/weights`` (\\*window, channels, num_outputs) and ``Conv/biases``.

    Args:
      inputs: A tensor (batch, \\*space, channels), or (batch, channels, \\*space).
      num_outputs: How many channels the output has.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps: a number, or one for each spatial axis.
      padding: "SAME", the default, or "VALID".
      data_format: "NHWC" (or "NWC", "NDHWC"), the default, or "NCHW" and so on.
      rate: The spacing inside of the window; excludes strides above one.
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
      scope: The variable scope; by default "Conv", with a number.
      conv_dims: How many spatial axes there must be; None for any.

    Returns:
      The output.

    Raises:
      ValueError: If the data format is unknown or the rank does not fit.
    """
    df = channels_first(data_format)
    with tf.variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter(NAMES)) as sc:
        inputs = tf.convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in CLASSES:
            raise ValueError(f"convolution takes inputs of rank 3 to 5. Received: rank {rank}")
        layer = CLASSES[rank](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=df,
            dilation_rate=rate,
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
        if layer.use_bias:
            add_to_collections(layer.bias, variables_collections, "biases")
        return finish(
            outputs, sc.name, activation_fn, outputs_collections, normalizer_fn, normalizer_params
        )


@add_arg_scope
def convolution1d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    """The same as `convolution`, for inputs of rank 3 only."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        padding=padding,
        data_format=data_format,
        rate=rate,
        activation_fn=activation_fn,
        normalizer_fn=normalizer_fn,
        normalizer_params=normalizer_params,
        weights_initializer=weights_initializer,
        weights_regularizer=weights_regularizer,
        biases_initializer=biases_initializer,
        biases_regularizer=biases_regularizer,
        reuse=reuse,
        variables_collections=variables_collections,
        outputs_collections=outputs_collections,
        trainable=trainable,
        scope=scope,
        conv_dims=1,
    )


@add_arg_scope
def convolution2d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    """The same as `convolution`, for inputs of rank 4 only."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        padding=padding,
        data_format=data_format,
        rate=rate,
        activation_fn=activation_fn,
        normalizer_fn=normalizer_fn,
        normalizer_params=normalizer_params,
        weights_initializer=weights_initializer,
        weights_regularizer=weights_regularizer,
        biases_initializer=biases_initializer,
        biases_regularizer=biases_regularizer,
        reuse=reuse,
        variables_collections=variables_collections,
        outputs_collections=outputs_collections,
        trainable=trainable,
        scope=scope,
        conv_dims=2,
    )


@add_arg_scope
def convolution3d(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    """The same as `convolution`, for inputs of rank 5 only."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        padding=padding,
        data_format=data_format,
        rate=rate,
        activation_fn=activation_fn,
        normalizer_fn=normalizer_fn,
        normalizer_params=normalizer_params,
        weights_initializer=weights_initializer,
        weights_regularizer=weights_regularizer,
        biases_initializer=biases_initializer,
        biases_regularizer=biases_regularizer,
        reuse=reuse,
        variables_collections=variables_collections,
        outputs_collections=outputs_collections,
        trainable=trainable,
        scope=scope,
        conv_dims=3,
    )


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
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
    """A fully connected layer over the last axis: ``activation(inputs @ weights + biases)``.

    Variables: ``fully_connected/weights`` (size, num_outputs) and ``fully_connected/biases``.

    Args:
      inputs: A tensor of rank two or more whose last axis is known.
      num_outputs: The size of the last axis of the output.
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
      scope: The variable scope; by default "fully_connected", with a number.

    Returns:
      The output.

    Raises:
      ValueError: If ``num_outputs`` is no integer.
    """
    if not isinstance(num_outputs, (int, np.integer)):
        raise ValueError(f"num_outputs type should be one of int, got {type(num_outputs)}.")
    with tf.variable_scope(
        scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter(NAMES)
    ) as sc:
        inputs = tf.convert_to_tensor(inputs)
        layer = core.Dense(
            units=num_outputs,
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


conv1d = convolution1d
conv2d = convolution2d
conv3d = convolution3d

relu = functools.partial(fully_connected, activation_fn=tf.nn.relu)
relu6 = functools.partial(fully_connected, activation_fn=tf.nn.relu6)
elu = functools.partial(fully_connected, activation_fn=tf.nn.elu)
linear = functools.partial(fully_connected, activation_fn=None)
