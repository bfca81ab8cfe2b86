"""``slim.nets.vgg``: the networks of Oxford's Visual Geometry Group (arXiv:1409.1556)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._compose import repeat
from migrate.tf1_shim.contrib.layers._conv import conv2d, fully_connected
from migrate.tf1_shim.contrib.layers._initializers import l2_regularizer
from migrate.tf1_shim.contrib.layers._pooling import max_pool2d
from migrate.tf1_shim.contrib.slim.nets import _classic

__all__ = ["arg_scope", "vgg_16", "vgg_19", "vgg_a", "vgg_arg_scope", "vgg_d", "vgg_e"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.vgg")


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments under which the networks are built.

    Args:
      weight_decay: The scale of the l2 regularizer.

    Returns:
      A scope for `arg_scope`.
    """
    with (
        arg_scope(
            [conv2d, fully_connected],
            activation_fn=tf.nn.relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=tf.zeros_initializer(),
        ),
        arg_scope([conv2d], padding="SAME") as scope,
    ):
        return scope


def _build(name: str, counts: Sequence[int], *args: Any, **kwargs: Any) -> Any:
    """A network with so many convolutions in each of its five parts."""

    def features(net: Any) -> Any:
        for i, (count, depth) in enumerate(zip(counts, (64, 128, 256, 512, 512), strict=True)):
            net = repeat(net, count, conv2d, depth, [3, 3], scope=f"conv{i + 1}")
            net = max_pool2d(net, [2, 2], scope=f"pool{i + 1}")
        return net

    return _classic.build(name, features, (7, 4096), *args, **kwargs)


def vgg_a(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "vgg_a",
) -> tuple[Any, dict[str, Any]]:
    """The network of 11 layers (configuration A), its dense layers written as convolutions.

    Args:
      inputs: (batch, height, width, channels); 224 x 224 for one prediction an image.
      num_classes: The number of classes.
      is_training: Whether to drop.
      dropout_keep_prob: The share that dropout keeps.
      spatial_squeeze: Whether to drop the sides, which must be one; False for larger images.
      scope: The variable scope.

    Returns:
      The logits (batch, num_classes), and the outputs of all layers by scope.
    """
    return _build(
        "vgg_a",
        (1, 1, 2, 2, 2),
        inputs,
        num_classes,
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
    )


def vgg_16(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "vgg_16",
) -> tuple[Any, dict[str, Any]]:
    """The network of 16 layers (configuration D): see `vgg_a`."""
    return _build(
        "vgg_16",
        (2, 2, 3, 3, 3),
        inputs,
        num_classes,
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
    )


def vgg_19(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "vgg_19",
) -> tuple[Any, dict[str, Any]]:
    """The network of 19 layers (configuration E): see `vgg_a`."""
    return _build(
        "vgg_19",
        (2, 2, 4, 4, 4),
        inputs,
        num_classes,
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        named_after_variables=True,
    )


vgg_d, vgg_e = vgg_16, vgg_19
for _network in (vgg_a, vgg_16, vgg_19):
    _network.default_image_size = 224  # type: ignore[attr-defined]
