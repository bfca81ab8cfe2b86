"""``tf.contrib.layers``: layers made of layers, and conversions between layouts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework import add_arg_scope
from migrate.tf1_shim.contrib.layers import utils

__all__ = [
    "dense_to_sparse",
    "images_to_sequence",
    "repeat",
    "scale_gradient",
    "sequence_to_images",
    "stack",
]


def _layer_name(layer: Any, default: str) -> str:
    if hasattr(layer, "__name__"):
        return str(layer.__name__)
    if isinstance(layer, functools.partial):
        return str(layer.func.__name__)
    return default


@add_arg_scope
def repeat(
    inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Apply a layer several times, each with variables of its own.

    Example::

        net = slim.repeat(net, 3, slim.conv2d, 256, [3, 3], scope="conv3")
        # variables conv3/conv3_1/weights, conv3/conv3_2/weights, conv3/conv3_3/weights

    Args:
      inputs: A tensor.
      repetitions: How often.
      layer: A function with ``inputs`` first and an argument ``scope``.
      *args: Further arguments of the layer.
      **kwargs: Further arguments of the layer; ``scope`` is the variable scope, by default
        "Repeat", with a number.

    Returns:
      What the last call returns.
    """
    scope = kwargs.pop("scope", None)
    with tf.variable_scope(scope, "Repeat", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        base = scope if scope is not None else _layer_name(layer, "repeat")
        outputs = inputs
        for number in range(1, repetitions + 1):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{base}_{number}"})
        return outputs


@add_arg_scope
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Sequence[Any], **kwargs: Any) -> Any:
    """Apply a layer several times with different arguments.

    Example::

        net = slim.stack(x, slim.fully_connected, [32, 64, 128], scope="fc")
        # variables fc/fc_1/weights, fc/fc_2/weights, fc/fc_3/weights

    Args:
      inputs: A tensor.
      layer: A function with ``inputs`` first and an argument ``scope``.
      stack_args: For every call its positional arguments, or the one argument.
      **kwargs: Arguments of every call; ``scope`` is the variable scope, by default "Stack",
        with a number, and ``reuse`` whether to reuse its variables.

    Returns:
      What the last call returns.

    Raises:
      ValueError: If ``stack_args`` is no list.
    """
    scope, reuse = kwargs.pop("scope", None), kwargs.pop("reuse", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError(
            f"stack needs a list of arguments, one entry for each layer. Received: {stack_args!r}"
        )
    with tf.variable_scope(scope, "Stack", [inputs], reuse=reuse):
        inputs = tf.convert_to_tensor(inputs)
        base = scope if scope is not None else _layer_name(layer, "stack")
        outputs = inputs
        for number, given in enumerate(stack_args, 1):
            args = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{base}_{number}"})
        return outputs


def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Any:
    """The inputs, with their gradient multiplied.

    Args:
      inputs: A tensor.
      gradient_multiplier: The factor.

    Returns:
      The inputs.
    """

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        return tf.identity(x), lambda gradient: gradient * gradient_multiplier

    return scaled(inputs)


@add_arg_scope
def dense_to_sparse(
    tensor: Any, eos_token: Any = 0, outputs_collections: Any = None, scope: Any = None
) -> Any:
    """A sparse tensor of the entries that are not a given one.

    Args:
      tensor: A tensor of integers.
      eos_token: What to leave out.
      outputs_collections: Collections for the output.
      scope: The variable scope; by default "dense_to_sparse".

    Returns:
      A ``SparseTensor``.
    """
    with tf.variable_scope(scope, "dense_to_sparse", [tensor]) as sc:
        tensor = tf.convert_to_tensor(tensor)
        indices = tf.where(tf.not_equal(tensor, tf.constant(eos_token, tensor.dtype)))
        values = tf.gather_nd(tensor, indices)
        shape = tf.shape(tensor, out_type=tf.int64)
        outputs = tf.SparseTensor(indices, values, shape)
        if outputs_collections:
            tf.add_to_collections(outputs_collections, outputs)
        del sc
        return outputs


@add_arg_scope
def images_to_sequence(
    inputs: Any, data_format: str = "NHWC", outputs_collections: Any = None, scope: Any = None
) -> Any:
    """Images (batch, height, width, channels) as sequences (width, batch * height, channels).

    Args:
      inputs: A tensor of rank four.
      data_format: "NHWC" or "NCHW".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "ImagesToSequence", with a number.

    Returns:
      The sequences.

    Raises:
      ValueError: If the data format is unknown.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"data_format must be NHWC or NCHW. Received: {data_format!r}")
    with tf.name_scope(scope, "ImagesToSequence", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if data_format == "NCHW":
            inputs = tf.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.shape.as_list()
        sizes = tf.shape(inputs)
        outputs = tf.transpose(inputs, [2, 0, 1, 3])
        outputs = tf.reshape(outputs, [sizes[2], sizes[0] * sizes[1], sizes[3]])
        outputs.set_shape([width, None, depth])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def sequence_to_images(
    inputs: Any,
    height: int,
    output_data_format: str = "channels_last",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The reverse of `images_to_sequence`.

    Args:
      inputs: A tensor (width, batch * height, channels).
      height: The images' height.
      output_data_format: "channels_last" or "channels_first".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "SequenceToImages", with a number.

    Returns:
      The images.
    """
    with tf.name_scope(scope, "SequenceToImages", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        width, _, depth = inputs.shape.as_list()
        size = tf.shape(inputs)
        count = inputs.shape.as_list()[1]
        batch = -1 if count is None else count // height
        outputs = tf.reshape(
            inputs, [size[0] if width is None else width, batch, height, depth or size[2]]
        )
        order = (1, 3, 2, 0) if output_data_format == "channels_first" else (1, 2, 0, 3)
        outputs = tf.transpose(outputs, order)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)
