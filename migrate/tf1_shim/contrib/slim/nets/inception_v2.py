"""``slim.nets.inception_v2``: Inception with batch normalization (arXiv:1502.03167)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._pooling import avg_pool2d
from migrate.tf1_shim.contrib.layers._separable import separable_conv2d
from migrate.tf1_shim.contrib.layers._simple import dropout, softmax
from migrate.tf1_shim.contrib.slim.nets import _inception
from migrate.tf1_shim.contrib.slim.nets._classic import trunc_normal
from migrate.tf1_shim.contrib.slim.nets._inception import Mixed, avg, conv, maxpool

__all__ = ["inception_v2", "inception_v2_arg_scope", "inception_v2_base"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.inception_v2")


def _mixed(tag: str, one: int, *depths: int, pool: Any = avg) -> Mixed:
    """A module: 1x1, 3x3, two 3x3, pooling."""
    before, three, before2, double, pooled = depths
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", one, 1),),
            (conv("0a", before, 1, stddev=0.09), conv("0b", three, 3)),
            (conv("0a", before2, 1, stddev=0.09), conv("0b", double, 3), conv("0c", double, 3)),
            (pool("0a", 3), conv("0b", pooled, 1, stddev=0.1)),
        ),
    )


def _reduce(tag: str, before: int, three: int, before2: int, double: int) -> Mixed:
    """A module that halves the sides."""
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", before, 1, stddev=0.09), conv("1a", three, 3, stride=2)),
            (
                conv("0a", before2, 1, stddev=0.09),
                conv("0b", double, 3),
                conv("1a", double, 3, stride=2),
            ),
            (maxpool("1a", 3, stride=2),),
        ),
    )


FIRST = "Conv2d_1a_7x7"

STAGES = (
    maxpool("2a", 3, stride=2),
    conv("2b", 64, 1, stddev=0.1),
    conv("2c", 192, 3),
    maxpool("3a", 3, stride=2),
    _mixed("3b", 64, 64, 64, 64, 96, 32),
    _mixed("3c", 64, 64, 96, 64, 96, 64),
    _reduce("4a", 128, 160, 64, 96),
    _mixed("4b", 224, 64, 96, 96, 128, 128),
    _mixed("4c", 192, 96, 128, 96, 128, 128),
    _mixed("4d", 160, 128, 160, 128, 160, 96),
    _mixed("4e", 96, 128, 192, 160, 192, 96),
    _reduce("5a", 128, 192, 192, 256),
    _mixed("5b", 352, 192, 320, 160, 224, 128),
    _mixed("5c", 352, 192, 320, 192, 224, 128, pool=maxpool),
)


def inception_v2_base(
    inputs: Any,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """The network up to one of its stages.

    Args:
      inputs: (batch, height, width, channels).
      final_endpoint: The stage: "Conv2d_1a_7x7", "MaxPool_2a_3x3", "Conv2d_2b_1x1",
        "Conv2d_2c_3x3", "MaxPool_3a_3x3", "Mixed_3b", "Mixed_3c", "Mixed_4a" to "Mixed_4e",
        "Mixed_5a", "Mixed_5b" or "Mixed_5c".
      min_depth: No layer gets fewer channels.
      depth_multiplier: What the layers' channels are multiplied by.
      scope: The variable scope; by default "InceptionV2".

    Returns:
      The stage's output, and the outputs so far by stage.

    Raises:
      ValueError: If there is no such stage, or the multiplier is not greater than zero.
    """
    depth = _inception.depth_function(depth_multiplier, min_depth)
    with tf.variable_scope(scope, "InceptionV2", [inputs]):
        net = separable_conv2d(
            inputs,
            depth(64),
            [7, 7],
            # More channels than the pointwise convolution gives would be too many.
            depth_multiplier=min(int(depth(64) / 3), 8),
            stride=2,
            padding="SAME",
            weights_initializer=trunc_normal(1.0),
            scope=FIRST,
        )
        return _inception.stack(net, STAGES, final_endpoint, depth, {FIRST: net})


def inception_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """The network with logits.

    Args:
      inputs: (batch, height, width, channels); 224 x 224 for one prediction an image.
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
      The logits (batch, num_classes), and the stages' outputs with "Logits", "Predictions".

    Raises:
      ValueError: If the multiplier is not greater than zero.
    """
    with (
        tf.variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as entered,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=entered
        )
        size = _inception.reduced_kernel(net, 7)
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
        )
    return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """The arguments under which the network is built.

    Args:
      weight_decay: The scale of the l2 regularizer.
      batch_norm_var_collection: The collection of the moving averages.

    Returns:
      A scope for `arg_scope`.
    """
    return _inception.scope_with(weight_decay, batch_norm_var_collection=batch_norm_var_collection)
