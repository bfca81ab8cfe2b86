"""``tf.contrib.layers``: dropout, flatten and other layers with few weights or none."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers as core
from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.contrib.framework import add_arg_scope, model_variable
from migrate.tf1_shim.contrib.layers import utils
from migrate.tf1_shim.contrib.layers._common import channels_first, finish, model_getter

__all__ = [
    "bias_add",
    "dropout",
    "flatten",
    "maxout",
    "one_hot_encoding",
    "softmax",
    "spatial_softmax",
]


@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Any:
    """Keep a share of the entries, scaled up, and set the others to zero.

    Args:
      inputs: A tensor.
      keep_prob: The share to keep; also a tensor.
      noise_shape: The shape of the mask, broadcast to the input.
      is_training: A bool or a bool tensor; false passes the inputs on.
      outputs_collections: Collections for the output.
      scope: The scope; by default "Dropout", with a number.
      seed: The operation's seed.

    Returns:
      A tensor of the shape of ``inputs``.
    """
    with tf.variable_scope(scope, "Dropout", [inputs], custom_getter=model_getter) as sc:
        layer = core.Dropout(
            rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc
        )
        outputs = layer.apply(tf.convert_to_tensor(inputs), training=is_training)
        return utils.collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Any:
    """Flatten all axes but the first.

    Args:
      inputs: A tensor (batch, ...).
      outputs_collections: Collections for the output.
      scope: The name scope; by default "Flatten", with a number.

    Returns:
      A tensor (batch, product of the others).
    """
    with tf.name_scope(scope, "Flatten", [inputs]) as sc:
        outputs = core.flatten(tf.convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """Add a bias to the channels: the variable ``BiasAdd/biases``.

    Args:
      inputs: A tensor whose channels are known.
      activation_fn: The activation; None for none.
      initializer: For the bias.
      regularizer: From the bias to a scalar, added to REGULARIZATION_LOSSES.
      reuse: Whether to reuse the variable of the scope.
      variables_collections: Collections for the variable.
      outputs_collections: Collections for the output.
      trainable: Whether the variable is trainable.
      data_format: "NHWC" or "NCHW".
      scope: The variable scope; by default "BiasAdd", with a number.

    Returns:
      A tensor of the shape of ``inputs``.
    """
    channels_first(data_format, ("NCHW", "NHWC"))
    with tf.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = tf.convert_to_tensor(inputs)
        biases = model_variable(
            "biases",
            shape=[utils.channel_dimension(inputs.shape, data_format, min_rank=2)],
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=utils.get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = tf.nn.bias_add(inputs, biases, data_format=data_format)
        return finish(outputs, sc.name, activation_fn, outputs_collections)


@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """Numbers as one-hot rows.

    Args:
      labels: Integers.
      num_classes: How many classes.
      on_value: What stands at the class.
      off_value: What stands elsewhere.
      outputs_collections: Collections for the output.
      scope: The name scope; by default "OneHotEncoding", with a number.

    Returns:
      A tensor with ``num_classes`` as one more axis.
    """
    with tf.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = tf.convert_to_tensor(labels)
        if labels.dtype == tf.int32:
            labels = tf.cast(labels, tf.int64)
        outputs = tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Any:
    """The softmax over the last axis.

    Args:
      logits: A tensor of rank two or more.
      scope: The variable scope; by default "softmax".

    Returns:
      A tensor of the shape of ``logits``.
    """
    with tf.variable_scope(scope, "softmax", [logits]):
        classes = utils.last_dimension(logits.shape, min_rank=2)
        flat = tf.nn.softmax(tf.reshape(logits, [-1, classes]))
        outputs = tf.reshape(flat, tf.shape(logits))
        if not tf.executing_eagerly():
            outputs.set_shape(logits.shape)
        return outputs


@add_arg_scope
def maxout(inputs: Any, num_units: int, axis: int = -1, scope: Any = None) -> Any:
    """The maximum over groups of channels (arXiv:1302.4389).

    Args:
      inputs: A tensor.
      num_units: How many groups; it must divide the channels.
      axis: The channels' axis.
      scope: The variable scope; by default "MaxOut".

    Returns:
      A tensor with ``num_units`` channels.

    Raises:
      ValueError: If the groups do not divide the channels.
    """
    with tf.variable_scope(scope, "MaxOut", [inputs]):
        inputs = tf.convert_to_tensor(inputs)
        shape = inputs.shape.as_list()
        channels = shape[axis]
        if channels % num_units:
            raise ValueError(f"number of features({channels}) is not a multiple of {num_units}")
        at = axis % len(shape)
        sizes = [tf.shape(inputs)[i] if n is None else n for i, n in enumerate(shape)]
        split = [*sizes[:at], num_units, channels // num_units, *sizes[at + 1 :]]
        outputs = tf.reduce_max(tf.reshape(inputs, split), at + 1)
        shape[at] = num_units
        outputs.set_shape(shape)
        return outputs


@add_arg_scope
def spatial_softmax(
    features: Any,
    temperature: Any = None,
    name: str | None = None,
    variables_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
) -> Any:
    """Where every channel is strongest: the expected position under a softmax over space.

    Args:
      features: A tensor (batch, height, width, channels) whose space and channels are known.
      temperature: What the variable of the softmax's temperature starts at; None for 1.
      name: The variable scope; by default "spatial_softmax".
      variables_collections: Collections for that variable.
      trainable: Whether that variable is trainable.
      data_format: "NHWC" or "NCHW".

    Returns:
      (batch, channels * 2): x and y in [-1, 1] for every channel.
    """
    with tf.variable_scope(name, "spatial_softmax"), tf.name_scope("spatial_softmax_op"):
        dynamic, static = tf.shape(features), features.shape.as_list()
        first = data_format == "NCHW"
        channels, height, width = (
            static[i] if static[i] is not None else dynamic[i]
            for i in ((1, 2, 3) if first else (3, 1, 2))
        )
        x, y = tf.meshgrid(
            tf.linspace(-1.0, 1.0, num=height), tf.linspace(-1.0, 1.0, num=width), indexing="ij"
        )
        x, y = tf.reshape(x, [height * width]), tf.reshape(y, [height * width])
        temperature = model_variable(  # also where it is given: it is trained from there
            "temperature",
            shape=(),
            dtype=tf.float32,
            initializer=tf.constant_initializer(1.0 if temperature is None else temperature),
            collections=utils.get_variable_collections(variables_collections, "temperature"),
            trainable=trainable,
        )
        if not first:
            features = tf.transpose(features, [0, 3, 1, 2])
        attention = tf.nn.softmax(tf.reshape(features, [-1, height * width]) / temperature)
        expected = tf.concat(
            [
                tf.reduce_sum(x * attention, [1], keepdims=True),
                tf.reduce_sum(y * attention, [1], keepdims=True),
            ],
            1,
        )
        if not isinstance(channels, int):
            return tf.reshape(expected, [-1, channels * 2])
        outputs = tf.reshape(expected, [-1, channels * 2])
        outputs.set_shape([None, channels * 2])
        return outputs
