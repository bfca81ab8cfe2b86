"""What AlexNet, OverFeat and VGG share: collected end points and a head of convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._conv import conv2d, fully_connected
from migrate.tf1_shim.contrib.layers._initializers import l2_regularizer
from migrate.tf1_shim.contrib.layers._pooling import max_pool2d
from migrate.tf1_shim.contrib.layers._simple import dropout
from migrate.tf1_shim.contrib.layers.utils import convert_collection_to_dict

__all__ = ["build", "scope_with", "trunc_normal"]


def trunc_normal(stddev: float) -> Any:
    """An initializer: a truncated normal distribution around zero."""
    return tf.truncated_normal_initializer(0.0, stddev)


def scope_with(weight_decay: float, bias: float) -> Any:
    """The arguments of AlexNet's and OverFeat's layers."""
    start = tf.constant_initializer(bias) if bias else tf.zeros_initializer()
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=tf.nn.relu,
            biases_initializer=start,
            weights_regularizer=l2_regularizer(weight_decay),
        ),
        arg_scope([conv2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):
        return scope


def build(
    name: str,
    features: Callable[[Any], Any],
    head: tuple[int, int],
    inputs: Any,
    num_classes: int,
    is_training: Any,
    dropout_keep_prob: float,
    spatial_squeeze: bool,
    scope: Any,
    named_after_variables: bool = False,
    small_weights: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """Features, then three convolutions in place of fully connected layers.

    Args:
      name: The default scope.
      features: Builds the layers before the head.
      head: The first convolution's side and depth.
      inputs: (batch, height, width, channels).
      num_classes: The number of classes.
      is_training: Whether to drop.
      dropout_keep_prob: The share that dropout keeps.
      spatial_squeeze: Whether to drop the sides, which must be one.
      scope: The variable scope.
      named_after_variables: Whether the collection has the variable scope's name (else that of
        the operations).
      small_weights: Whether the head starts from smaller weights, and biases of 0.1.

    Returns:
      The logits, and the outputs of all layers by scope.
    """
    side, depth = head
    start = (
        {
            "weights_initializer": trunc_normal(0.005),
            "biases_initializer": tf.constant_initializer(0.1),
        }
        if small_weights
        else {}
    )
    last = {"biases_initializer": tf.zeros_initializer()} if small_weights else {}
    with tf.variable_scope(scope, name, [inputs]) as entered:
        prefix = entered.name if named_after_variables else entered.original_name_scope
        collection = prefix + "_end_points"
        with arg_scope([conv2d, max_pool2d], outputs_collections=[collection]):
            net = features(inputs)
            with arg_scope([conv2d], **start):
                net = conv2d(net, depth, [side, side], padding="VALID", scope="fc6")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = conv2d(net, 4096, [1, 1], scope="fc7")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    scope="fc8",
                    **last,
                )
            end_points = convert_collection_to_dict(collection)
            if spatial_squeeze:
                net = tf.squeeze(net, [1, 2], name="fc8/squeezed")
                end_points[entered.name + "/fc8"] = net
            return net, end_points
