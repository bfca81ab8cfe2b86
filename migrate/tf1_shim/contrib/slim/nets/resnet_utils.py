"""``slim.nets.resnet_utils``: what the two kinds of residual networks share."""

from __future__ import annotations

from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import add_arg_scope, arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._conv import conv2d
from migrate.tf1_shim.contrib.layers._initializers import (
    l2_regularizer,
    variance_scaling_initializer,
)
from migrate.tf1_shim.contrib.layers._pooling import max_pool2d
from migrate.tf1_shim.contrib.layers.utils import collect_named_outputs

__all__ = [
    "Block",
    "add_arg_scope",
    "arg_scope",
    "conv2d_same",
    "resnet_arg_scope",
    "stack_blocks_dense",
    "subsample",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.resnet_utils")


class Block(NamedTuple("Block", [("scope", str), ("unit_fn", Any), ("args", Any)])):
    """A row of residual units.

    Attributes:
      scope: The block's variable scope.
      unit_fn: Builds one unit: ``unit_fn(net, rate=rate, **unit)``.
      args: For every unit a dictionary with ``depth``, ``depth_bottleneck`` and ``stride``.
    """

    __slots__ = ()


def subsample(inputs: Any, factor: int, scope: str | None = None) -> Any:
    """Keep every ``factor``-th pixel.

    Args:
      inputs: (batch, height, width, channels).
      factor: The stride; 1 returns the inputs.
      scope: The scope's name.

    Returns:
      (batch, height / factor, width / factor, channels).
    """
    if factor == 1:
        return inputs
    return max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Any,
    num_outputs: int,
    kernel_size: int,
    stride: int,
    rate: int = 1,
    scope: str | None = None,
) -> Any:
    """A convolution whose padding does not depend on the size of the image.

    With a stride TensorFlow's SAME pads even images unevenly; here zeros are put around first, and
    the convolution is VALID. It gives what a convolution of stride one and `subsample` give.

    Args:
      inputs: (batch, height, width, channels).
      num_outputs: The number of filters.
      kernel_size: The side of the kernel.
      stride: The stride.
      rate: How far the kernel's cells are apart.
      scope: The scope's name.

    Returns:
      (batch, ceil(height / stride), ceil(width / stride), num_outputs).
    """
    if stride == 1:
        return conv2d(
            inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope
        )
    around = (kernel_size - 1) * rate
    edge = [around // 2, around - around // 2]
    return conv2d(
        tf.pad(inputs, [[0, 0], edge, edge, [0, 0]]),
        num_outputs,
        kernel_size,
        stride=stride,
        rate=rate,
        padding="VALID",
        scope=scope,
    )


@add_arg_scope
def stack_blocks_dense(
    net: Any,
    blocks: Any,
    output_stride: Any = None,
    outputs_collections: Any = None,
) -> Any:
    """Stack blocks, and hold the resolution from a given stride on.

    Once the strides so far multiply to ``output_stride``, units keep the resolution and spread
    their kernels instead (atrous convolution).

    Args:
      net: (batch, height, width, channels).
      blocks: A list of `Block`.
      output_stride: The ratio of input to output size; None for what the blocks' strides give.
      outputs_collections: Collections for the blocks' outputs.

    Returns:
      The last block's output.

    Raises:
      ValueError: If the strides do not multiply to ``output_stride`` anywhere.
    """
    unreachable = ValueError("The target output_stride cannot be reached.")
    stride = rate = 1
    for block in blocks:
        with tf.variable_scope(block.scope, "block", [net]) as scope:
            for i, unit in enumerate(block.args):
                if output_stride is not None and stride > output_stride:
                    raise unreachable
                with tf.variable_scope(f"unit_{i + 1}", values=[net]):
                    if stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, scope.name, net)
    if output_stride is not None and stride != output_stride:
        raise unreachable
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """The arguments under which residual networks are built.

    Args:
      weight_decay: The scale of the l2 regularizer.
      batch_norm_decay: The decay of the moving averages.
      batch_norm_epsilon: Added to the variance.
      batch_norm_scale: Whether normalizations have a gamma.

    Returns:
      A scope for `arg_scope`.
    """
    norm = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": tf.GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [conv2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_fn=batch_norm,
            normalizer_params=norm,
        ),
        arg_scope([batch_norm], **norm),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope
