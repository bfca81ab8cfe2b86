"""``slim.nets.inception_v3``: Inception v3 (arXiv:1512.00567)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._conv import conv2d
from migrate.tf1_shim.contrib.layers._pooling import avg_pool2d, max_pool2d
from migrate.tf1_shim.contrib.layers._simple import dropout, softmax
from migrate.tf1_shim.contrib.slim.nets import _inception
from migrate.tf1_shim.contrib.slim.nets._classic import trunc_normal
from migrate.tf1_shim.contrib.slim.nets._inception import Mixed, avg, conv, maxpool

__all__ = ["inception_v3", "inception_v3_arg_scope", "inception_v3_base"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.inception_v3")

VALID: dict[str, Any] = {"padding": "VALID"}
HALF: dict[str, Any] = {"stride": 2, "padding": "VALID"}


def _mixed_5(tag: str, pooled: int, second: tuple[Any, ...] | None = None) -> Mixed:
    """A module of the first part: 1x1, 5x5, two 3x3, pooling."""
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", 64, 1),),
            second or (conv("0a", 48, 1), conv("0b", 64, 5)),
            (conv("0a", 64, 1), conv("0b", 96, 3), conv("0c", 96, 3)),
            (avg("0a", 3), conv("0b", pooled, 1)),
        ),
    )


def _mixed_6(tag: str, n: int) -> Mixed:
    """A module of the middle part: kernels of seven, taken apart."""
    wide, high = (1, 7), (7, 1)
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", 192, 1),),
            (conv("0a", n, 1), conv("0b", n, wide), conv("0c", 192, high)),
            (
                conv("0a", n, 1),
                conv("0b", n, high),
                conv("0c", n, wide),
                conv("0d", n, high),
                conv("0e", 192, wide),
            ),
            (avg("0a", 3), conv("0b", 192, 1)),
        ),
    )


def _mixed_7(tag: str, last: str) -> Mixed:
    """A module of the last part: kernels of three, side by side."""
    wide, high = (1, 3), (3, 1)
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", 320, 1),),
            (conv("0a", 384, 1), (conv("0b", 384, wide), conv(last, 384, high))),
            (
                conv("0a", 448, 1),
                conv("0b", 384, 3),
                (conv("0c", 384, wide), conv("0d", 384, high)),
            ),
            (avg("0a", 3), conv("0b", 192, 1)),
        ),
    )


# Scopes that do not say their layer's size, or are out of order, are those of the checkpoints.
STAGES = (
    conv("1a", 32, 3, **HALF),
    conv("2a", 32, 3, **VALID),
    conv("2b", 64, 3),
    maxpool("3a", 3, **HALF),
    conv("3b", 80, 1, **VALID),
    conv("4a", 192, 3, **VALID),
    maxpool("5a", 3, **HALF),
    _mixed_5("5b", 32),
    _mixed_5("5c", 64, (conv("0b", 48, 1), conv("", 64, 5, scope="Conv_1_0c_5x5"))),
    _mixed_5("5d", 64),
    Mixed(
        "Mixed_6a",
        (
            (conv("", 384, 3, scope="Conv2d_1a_1x1", **HALF),),
            (
                conv("0a", 64, 1),
                conv("0b", 96, 3),
                conv("", 96, 3, scope="Conv2d_1a_1x1", **HALF),
            ),
            (maxpool("1a", 3, **HALF),),
        ),
    ),
    _mixed_6("6b", 128),
    _mixed_6("6c", 160),
    _mixed_6("6d", 160),
    _mixed_6("6e", 192),
    Mixed(
        "Mixed_7a",
        (
            (conv("0a", 192, 1), conv("1a", 320, 3, **HALF)),
            (
                conv("0a", 192, 1),
                conv("0b", 192, (1, 7)),
                conv("0c", 192, (7, 1)),
                conv("1a", 192, 3, **HALF),
            ),
            (maxpool("1a", 3, **HALF),),
        ),
    ),
    _mixed_7("7b", "0b"),
    _mixed_7("7c", "0c"),
)


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """The network up to one of its stages.

    Args:
      inputs: (batch, height, width, channels).
      final_endpoint: The stage: "Conv2d_1a_3x3", "Conv2d_2a_3x3", "Conv2d_2b_3x3",
        "MaxPool_3a_3x3", "Conv2d_3b_1x1", "Conv2d_4a_3x3", "MaxPool_5a_3x3", "Mixed_5b" to
        "Mixed_5d", "Mixed_6a" to "Mixed_6e", "Mixed_7a", "Mixed_7b" or "Mixed_7c".
      min_depth: No layer gets fewer channels.
      depth_multiplier: What the layers' channels are multiplied by.
      scope: The variable scope; by default "InceptionV3".

    Returns:
      The stage's output, and the outputs so far by stage.

    Raises:
      ValueError: If there is no such stage, or the multiplier is not greater than zero.
    """
    depth = _inception.depth_function(depth_multiplier, min_depth)
    with tf.variable_scope(scope, "InceptionV3", [inputs]):
        return _inception.stack(inputs, STAGES, final_endpoint, depth, {})


def _auxiliary(
    net: Any, num_classes: int, spatial_squeeze: bool, depth: Callable[[int], int]
) -> Any:
    """The logits from the middle of the network."""
    with (
        arg_scope([conv2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"),
        tf.variable_scope("AuxLogits"),
    ):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        size = _inception.reduced_kernel(net, 5)
        net = conv2d(
            net,
            depth(768),
            size,
            weights_initializer=trunc_normal(0.01),
            padding="VALID",
            scope=f"Conv2d_2a_{size[0]}x{size[1]}",
        )
        net = conv2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            weights_initializer=trunc_normal(0.001),
            scope="Conv2d_2b_1x1",
        )
        return tf.squeeze(net, [1, 2], name="SpatialSqueeze") if spatial_squeeze else net


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """The network with logits, and with the auxiliary ones from "Mixed_6e".

    Args:
      inputs: (batch, height, width, channels); 299 x 299 for one prediction an image.
      num_classes: The number of classes.
      is_training: Whether to drop, and to normalize by the batch.
      dropout_keep_prob: The share that dropout keeps.
      min_depth: No layer gets fewer channels.
      depth_multiplier: What the layers' channels are multiplied by.
      prediction_fn: From logits to predictions.
      spatial_squeeze: Whether to drop the sides, which must be one.
      reuse: Whether to reuse the variables of the scope.
      scope: The variable scope.

    Returns:
      The logits (batch, num_classes), and the stages' outputs with "AuxLogits", "PreLogits",
      "Logits" and "Predictions".

    Raises:
      ValueError: If the multiplier is not greater than zero.
    """
    depth = _inception.depth_function(depth_multiplier, min_depth)
    with (
        tf.variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as entered,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=entered
        )
        end_points["AuxLogits"] = _auxiliary(
            end_points["Mixed_6e"], num_classes, spatial_squeeze, depth
        )
        size = _inception.reduced_kernel(net, 8)
        logits = _inception.head(
            net,
            lambda net: avg_pool2d(
                net, size, padding="VALID", scope=f"AvgPool_1a_{size[0]}x{size[1]}"
            ),
            ("Dropout_1b", "Conv2d_1c_1x1"),
            num_classes,
            dropout_keep_prob,
            spatial_squeeze,
            prediction_fn,
            end_points,
            keep=True,
        )
    return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = tf.GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Any:
    """The arguments under which the network is built.

    Args:
      weight_decay: The scale of the l2 regularizer.
      batch_norm_var_collection: The collection of the moving averages.
      batch_norm_decay: Their decay.
      batch_norm_epsilon: Added to the variance.
      updates_collections: The collections of the update operations.
      use_fused_batchnorm: Whether to normalize by the fused kernel.

    Returns:
      A scope for `arg_scope`.
    """
    return _inception.scope_with(
        weight_decay,
        batch_norm_var_collection=batch_norm_var_collection,
        decay=batch_norm_decay,
        epsilon=batch_norm_epsilon,
        updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )
