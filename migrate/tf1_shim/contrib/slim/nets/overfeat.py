"""``slim.nets.overfeat``: OverFeat (arXiv:1312.6229)."""

from __future__ import annotations

from typing import Any

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._conv import conv2d
from migrate.tf1_shim.contrib.layers._pooling import max_pool2d
from migrate.tf1_shim.contrib.slim.nets import _classic
from migrate.tf1_shim.contrib.slim.nets._classic import trunc_normal

__all__ = ["arg_scope", "overfeat", "overfeat_arg_scope", "trunc_normal"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.nets.overfeat")


def overfeat_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments under which the network is built.

    Args:
      weight_decay: The scale of the l2 regularizer.

    Returns:
      A scope for `arg_scope`.
    """
    return _classic.scope_with(weight_decay, 0.0)


def _features(net: Any) -> Any:
    net = conv2d(net, 64, [11, 11], 4, padding="VALID", scope="conv1")
    net = max_pool2d(net, [2, 2], scope="pool1")
    net = conv2d(net, 256, [5, 5], padding="VALID", scope="conv2")
    net = max_pool2d(net, [2, 2], scope="pool2")
    for i, depth in enumerate((512, 1024, 1024)):
        net = conv2d(net, depth, [3, 3], scope=f"conv{i + 3}")
    return max_pool2d(net, [2, 2], scope="pool5")


def overfeat(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: Any = "overfeat",
) -> tuple[Any, dict[str, Any]]:
    """OverFeat, its dense layers written as convolutions.

    Args:
      inputs: (batch, height, width, channels); 231 x 231 for one prediction an image.
      num_classes: The number of classes.
      is_training: Whether to drop.
      dropout_keep_prob: The share that dropout keeps.
      spatial_squeeze: Whether to drop the sides, which must be one; False for larger images.
      scope: The variable scope.

    Returns:
      The logits (batch, num_classes), and the outputs of all layers by scope.
    """
    return _classic.build(
        "overfeat",
        _features,
        (6, 3072),
        inputs,
        num_classes,
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        named_after_variables=True,
        small_weights=True,
    )
