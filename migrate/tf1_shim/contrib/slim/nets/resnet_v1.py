"""``slim.nets.resnet_v1``: residual networks, convolution first (arXiv:1512.03385)."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import add_arg_scope, arg_scope
from migrate.tf1_shim.contrib.layers._conv import conv2d
from migrate.tf1_shim.contrib.layers.utils import collect_named_outputs, last_dimension
from migrate.tf1_shim.contrib.slim.nets import _resnet, resnet_utils
from migrate.tf1_shim.contrib.slim.nets.resnet_utils import resnet_arg_scope

__all__ = [
    "add_arg_scope",
    "arg_scope",
    "bottleneck",
    "resnet_arg_scope",
    "resnet_v1",
    "resnet_v1_50",
    "resnet_v1_101",
    "resnet_v1_152",
    "resnet_v1_200",
    "resnet_v1_block",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.resnet_v1")


@add_arg_scope
def bottleneck(
    inputs: Any,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """A residual unit of three convolutions, with normalization after each convolution.

    Args:
      inputs: (batch, height, width, channels).
      depth: The number of channels that come out.
      depth_bottleneck: The number of channels in between.
      stride: The stride of the middle convolution and of the shortcut.
      rate: How far the cells of the middle kernel are apart.
      outputs_collections: Collections for the output.
      scope: The variable scope; by default "bottleneck_v1".

    Returns:
      (batch, height / stride, width / stride, depth).
    """
    with tf.variable_scope(scope, "bottleneck_v1", [inputs]) as entered:
        depth_in = last_dimension(inputs.shape, min_rank=4)
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = conv2d(
                inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut"
            )
        net = conv2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        net = resnet_utils.conv2d_same(net, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        net = conv2d(net, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        output = tf.nn.relu(shortcut + net)
        return collect_named_outputs(outputs_collections, entered.name, output)


def resnet_v1(
    inputs: Any,
    blocks: Any,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """A residual network of given blocks.

    Build it inside of ``arg_scope(resnet_arg_scope())``. For dense predictions use images whose
    sides are a multiple of 32 plus one, ``global_pool=False`` and an ``output_stride``.

    Args:
      inputs: (batch, height, width, channels).
      blocks: A list of `resnet_utils.Block`.
      num_classes: The number of classes; None for the features before the logits.
      is_training: Whether normalizations use the batch.
      global_pool: Whether to average over the image.
      output_stride: The ratio of input to output size; None for what the strides give.
      include_root_block: Whether to start with the 7 x 7 convolution and the pooling.
      reuse: Whether to reuse the variables of the scope.
      scope: The variable scope; by default "resnet_v1".

    Returns:
      The features or logits (batch, height, width, channels), both sides one if pooled; and a
      dictionary of the convolutions', units' and blocks' outputs by scope, with "predictions".

    Raises:
      ValueError: If ``output_stride`` cannot be reached, or is no multiple of four.
    """
    return _resnet.build(
        "resnet_v1",
        bottleneck,
        False,
        inputs,
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
        reuse,
        scope,
    )


def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> Any:
    """A block of bottleneck units; the last one has the stride.

    Args:
      scope: The block's scope.
      base_depth: The depth of the bottleneck; units give four times as much.
      num_units: The number of units.
      stride: The stride of the block.

    Returns:
      A `resnet_utils.Block`.
    """
    return _resnet.block(bottleneck, scope, base_depth, num_units, stride)


resnet_v1_50 = _resnet.published(50, "resnet_v1_50", resnet_v1, resnet_v1_block)
resnet_v1_101 = _resnet.published(101, "resnet_v1_101", resnet_v1, resnet_v1_block)
resnet_v1_152 = _resnet.published(152, "resnet_v1_152", resnet_v1, resnet_v1_block)
resnet_v1_200 = _resnet.published(200, "resnet_v1_200", resnet_v1, resnet_v1_block)
resnet_v1.default_image_size = 224  # type: ignore[attr-defined]
