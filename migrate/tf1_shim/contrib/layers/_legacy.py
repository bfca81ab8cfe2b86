"""``tf.contrib.layers``: the fully connected layer of before `fully_connected`."""

from __future__ import annotations

import functools
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim._values import ZEROS
from migrate.tf1_shim.contrib.framework import add_arg_scope
from migrate.tf1_shim.contrib.layers._initializers import xavier_initializer

__all__ = ["legacy_fully_connected", "legacy_linear", "legacy_relu"]


@add_arg_scope
def legacy_fully_connected(
    x: Any,
    num_output_units: int,
    activation_fn: Any = None,
    weight_init: Any = xavier_initializer(),  # noqa: B008
    bias_init: Any = ZEROS,
    name: Any = None,
    weight_collections: Any = (tf.GraphKeys.WEIGHTS,),
    bias_collections: Any = (tf.GraphKeys.BIASES,),
    output_collections: Any = (tf.GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Any = None,
    bias_regularizer: Any = None,
) -> Any:
    """A fully connected layer over the last axis, without an activation of its own.

    Variables: ``fully_connected/weights`` (size, num_output_units) and ``fully_connected/bias``.

    Args:
      x: A tensor of rank two or more whose last axis is known.
      num_output_units: The size of the last axis of the output.
      activation_fn: The activation; None for none.
      weight_init: An initializer for the weights.
      bias_init: An initializer for the bias; None for no bias.
      name: The variable scope; by default "fully_connected", with a number.
      weight_collections: Collections for the weights.
      bias_collections: Collections for the bias.
      output_collections: Collections for the output.
      trainable: Whether the variables are trainable.
      weight_regularizer: From the weights to a scalar, added to REGULARIZATION_LOSSES.
      bias_regularizer: From the bias to a scalar, added to REGULARIZATION_LOSSES.

    Returns:
      The output.

    Raises:
      ValueError: If ``x`` has rank below 2 or its last dimension isn't known.
    """
    with tf.variable_scope(name, "fully_connected", [x]):
        x = tf.convert_to_tensor(x)
        if x.shape.rank is None or x.shape.rank < 2:
            raise ValueError(f"rank of x must be at least 2 not: {x.shape.rank}")
        size = tf.dimension_value(x.shape[-1])
        if size is None:
            raise ValueError("last dimension of x must be known but is None")
        dtype, everywhere = x.dtype.base_dtype, tf.GraphKeys.GLOBAL_VARIABLES
        weights = tf.get_variable(
            "weights",
            shape=[size, num_output_units],
            dtype=dtype,
            initializer=weight_init,
            collections={*(weight_collections or ()), everywhere},
            regularizer=weight_regularizer,
            trainable=trainable,
        )
        y = tf.matmul(tf.reshape(x, [-1, size]) if x.shape.rank > 2 else x, weights)
        if bias_init is not None:
            bias = tf.get_variable(
                "bias",
                shape=[num_output_units],
                dtype=dtype,
                initializer=bias_init,
                collections={*(bias_collections or ()), everywhere},
                regularizer=bias_regularizer,
                trainable=trainable,
            )
            y = tf.nn.bias_add(y, bias)
        if x.shape.rank > 2:
            y = tf.reshape(y, tf.concat([tf.shape(x)[:-1], [num_output_units]], 0))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        for collection in {*(output_collections or ()), tf.GraphKeys.ACTIVATIONS}:
            tf.add_to_collection(collection, y)
        return y


legacy_relu = functools.partial(legacy_fully_connected, activation_fn=tf.nn.relu)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
