"""``slim.nets.inception_v1``: GoogLeNet (arXiv:1409.4842)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._conv import conv2d, fully_connected
from migrate.tf1_shim.contrib.layers._pooling import avg_pool2d
from migrate.tf1_shim.contrib.layers._simple import dropout, softmax
from migrate.tf1_shim.contrib.slim.nets import _inception
from migrate.tf1_shim.contrib.slim.nets._classic import trunc_normal
from migrate.tf1_shim.contrib.slim.nets._inception import Mixed, conv, maxpool

__all__ = ["inception_v1", "inception_v1_arg_scope", "inception_v1_base"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.inception_v1")


def _mixed(tag: str, one: int, *depths: int, third: str = "0b") -> Mixed:
    """The module of the paper's table 1: 1x1, 3x3 after 1x1, "5x5" (built as 3x3), pooling."""
    before3, three, before5, five, pooled = depths
    return Mixed(
        f"Mixed_{tag}",
        (
            (conv("0a", one, 1),),
            (conv("0a", before3, 1), conv("0b", three, 3)),
            (conv("0a", before5, 1), conv(third, five, 3)),
            (maxpool("0a", 3), conv("0b", pooled, 1)),
        ),
    )


STAGES = (
    conv("1a", 64, 7, stride=2),
    maxpool("2a", 3, stride=2),
    conv("2b", 64, 1),
    conv("2c", 192, 3),
    maxpool("3a", 3, stride=2),
    _mixed("3b", 64, 96, 128, 16, 32, 32),
    _mixed("3c", 128, 128, 192, 32, 96, 64),
    maxpool("4a", 3, stride=2),
    _mixed("4b", 192, 96, 208, 16, 48, 64),
    _mixed("4c", 160, 112, 224, 24, 64, 64),
    _mixed("4d", 128, 128, 256, 24, 64, 64),
    _mixed("4e", 112, 144, 288, 32, 64, 64),
    _mixed("4f", 256, 160, 320, 32, 128, 128),
    maxpool("5a", 2, stride=2),
    # The published checkpoints have this one scope out of order.
    _mixed("5b", 256, 160, 320, 32, 128, 128, third="0a"),
    _mixed("5c", 384, 192, 384, 48, 128, 128),
)


def inception_v1_base(
    inputs: Any, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """The network up to one of its stages.

    Args:
      inputs: (batch, height, width, channels).
      final_endpoint: The stage: "Conv2d_1a_7x7", "MaxPool_2a_3x3", "Conv2d_2b_1x1",
        "Conv2d_2c_3x3", "MaxPool_3a_3x3", "Mixed_3b", "Mixed_3c", "MaxPool_4a_3x3", "Mixed_4b" to
        "Mixed_4f", "MaxPool_5a_2x2", "Mixed_5b" or "Mixed_5c".
      scope: The variable scope.

    Returns:
      The stage's output, and the outputs so far by stage.

    Raises:
      ValueError: If there is no such stage.
    """
    with (
        tf.variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([conv2d, fully_connected], weights_initializer=trunc_normal(0.01)),
    ):
        return _inception.stack(inputs, STAGES, final_endpoint, lambda depth: depth, {})


def inception_v1(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """GoogLeNet with logits.

    Args:
      inputs: (batch, height, width, channels); 224 x 224 for one prediction an image.
      num_classes: The number of classes.
      is_training: Whether to drop, and to normalize by the batch.
      dropout_keep_prob: The share that dropout keeps.
      prediction_fn: From logits to predictions.
      spatial_squeeze: Whether to drop the sides, which must be one.
      reuse: Whether to reuse the variables of the scope.
      scope: The variable scope.

    Returns:
      The logits (batch, num_classes), and the stages' outputs with "Logits", "Predictions".
    """
    with (
        tf.variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as entered,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=entered)
        logits = _inception.head(
            net,
            lambda net: avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7"),
            ("Dropout_0b", "Conv2d_0c_1x1"),
            num_classes,
            dropout_keep_prob,
            spatial_squeeze,
            prediction_fn,
            end_points,
            inside=True,
        )
    return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v1_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Any:
    """The arguments under which the network is built.

    Args:
      weight_decay: The scale of the l2 regularizer.
      use_batch_norm: Whether to normalize after each convolution, which the paper does not.
      batch_norm_var_collection: The collection of the moving averages.

    Returns:
      A scope for `arg_scope`.
    """
    if not use_batch_norm:
        return _inception.scope_with(weight_decay, None)
    return _inception.scope_with(weight_decay, batch_norm_var_collection=batch_norm_var_collection)
