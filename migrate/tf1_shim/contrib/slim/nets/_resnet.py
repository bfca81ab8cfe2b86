"""The body that ``resnet_v1`` and ``resnet_v2`` share, and the published depths."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._conv import conv2d
from migrate.tf1_shim.contrib.layers._pooling import max_pool2d
from migrate.tf1_shim.contrib.layers._simple import softmax
from migrate.tf1_shim.contrib.layers.utils import convert_collection_to_dict
from migrate.tf1_shim.contrib.slim.nets import resnet_utils

__all__ = ["block", "build", "published"]

#: Units per block by the number of layers (arXiv:1512.03385, table 1; 200 in arXiv:1603.05027).
UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


def block(unit: Any, scope: str, base_depth: int, num_units: int, stride: int) -> Any:
    """A block of bottleneck units whose last unit has the stride."""
    strides = [1] * (num_units - 1) + [stride]
    units = [
        {"depth": 4 * base_depth, "depth_bottleneck": base_depth, "stride": s} for s in strides
    ]
    return resnet_utils.Block(scope, unit, units)


def build(
    name: str,
    unit: Any,
    preactivated: bool,
    inputs: Any,
    blocks: Any,
    num_classes: int | None,
    is_training: Any,
    global_pool: bool,
    output_stride: int | None,
    include_root_block: bool,
    reuse: Any,
    scope: Any,
) -> tuple[Any, dict[str, Any]]:
    """A residual network: see ``resnet_v1.resnet_v1``."""
    with tf.variable_scope(scope, name, [inputs], reuse=reuse) as entered:
        collection = entered.original_name_scope + "_end_points"
        collected = [conv2d, unit, resnet_utils.stack_blocks_dense]
        with (
            arg_scope(collected, outputs_collections=collection),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net, stride = inputs, output_stride
            if include_root_block:
                if stride is not None:
                    if stride % 4:
                        raise ValueError(
                            f"output_stride must be divisible by 4. Received: {stride}"
                        )
                    stride //= 4
                # The units of the second kind start with the normalization themselves.
                plain = {"activation_fn": None, "normalizer_fn": None} if preactivated else {}
                with arg_scope([conv2d], **plain):
                    net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = resnet_utils.stack_blocks_dense(net, blocks, stride)
            if preactivated:
                net = batch_norm(net, activation_fn=tf.nn.relu, scope="postnorm")
            if global_pool:
                net = tf.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    scope="logits",
                )
            end_points = convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points["predictions"] = softmax(net, scope="predictions")
            return net, end_points


def published(
    layers: int, name: str, network: Callable[..., Any], make_block: Callable[..., Any]
) -> Any:
    """The function that builds a network of one of the published depths."""
    units = UNITS[layers]

    def resnet(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = name,
    ) -> tuple[Any, dict[str, Any]]:
        blocks = [
            make_block(f"block{i + 1}", base_depth=64 << i, num_units=n, stride=2 if i < 3 else 1)
            for i, n in enumerate(units)
        ]
        return network(
            inputs,
            blocks,
            num_classes,
            is_training,
            global_pool,
            output_stride,
            include_root_block=True,
            reuse=reuse,
            scope=scope,
        )

    module = network.__module__
    functools.update_wrapper(resnet, network, ("__module__",), ())
    resnet.__name__ = resnet.__qualname__ = name
    resnet.__doc__ = f"""The network of {layers} layers.

    Args:
      inputs: (batch, height, width, channels).
      num_classes: The number of classes; None for features.
      is_training: Whether normalizations use the batch.
      global_pool: Whether to average over the image.
      output_stride: The ratio of input to output size; None for 32.
      reuse: Whether to reuse the variables of the scope.
      scope: The variable scope.

    Returns:
      The outputs and the end points: see ``{module}``.
    """
    return resnet
