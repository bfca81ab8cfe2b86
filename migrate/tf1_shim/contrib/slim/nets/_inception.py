"""Inception networks as data: steps, branches and stages, and what builds them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.framework._arg_scope import arg_scope
from migrate.tf1_shim.contrib.layers._batch_norm import batch_norm
from migrate.tf1_shim.contrib.layers._conv import conv2d, fully_connected
from migrate.tf1_shim.contrib.layers._initializers import (
    l2_regularizer,
    variance_scaling_initializer,
)
from migrate.tf1_shim.contrib.layers._pooling import avg_pool2d, max_pool2d
from migrate.tf1_shim.contrib.layers._simple import dropout
from migrate.tf1_shim.contrib.slim.nets._classic import trunc_normal

__all__ = [
    "Mixed",
    "Step",
    "avg",
    "conv",
    "depth_function",
    "head",
    "maxpool",
    "reduced_kernel",
    "scope_with",
    "stack",
]


@dataclasses.dataclass(frozen=True)
class Step:
    """One layer: what it is, its scope, and what differs from stride one."""

    kind: str
    scope: str
    size: tuple[int, int]
    depth: int = 0
    stride: int = 1
    padding: str = "SAME"
    stddev: float | None = None

    def build(self, net: Any, depth: Callable[[int], int]) -> Any:
        """Add the layer."""
        how: dict[str, Any] = {"stride": self.stride, "padding": self.padding, "scope": self.scope}
        if self.kind != "conv":
            pool = max_pool2d if self.kind == "max" else avg_pool2d
            return pool(net, list(self.size), **how)
        start = {} if self.stddev is None else {"weights_initializer": trunc_normal(self.stddev)}
        return conv2d(net, depth(self.depth), list(self.size), **how, **start)


@dataclasses.dataclass(frozen=True)
class Mixed:
    """Branches side by side; a tuple among a branch's steps splits it once more."""

    scope: str
    branches: tuple[tuple[Any, ...], ...]

    def build(self, net: Any, depth: Callable[[int], int]) -> Any:
        """Add the branches, and join them."""
        with tf.variable_scope(self.scope):
            outputs = []
            for i, branch in enumerate(self.branches):
                with tf.variable_scope(f"Branch_{i}"):
                    outputs.append(_follow(net, branch, depth))
            return tf.concat(outputs, 3)


def _follow(net: Any, steps: Sequence[Any], depth: Callable[[int], int]) -> Any:
    for step in steps:
        if isinstance(step, tuple):
            net = tf.concat([part.build(net, depth) for part in step], 3)
        else:
            net = step.build(net, depth)
    return net


def _pair(size: Any) -> tuple[int, int]:
    return size if isinstance(size, tuple) else (size, size)


def conv(tag: str, depth: int, size: Any, scope: str | None = None, **how: Any) -> Step:
    """A convolution; its scope says the tag and the size unless it is given."""
    h, w = _pair(size)
    return Step("conv", scope or f"Conv2d_{tag}_{h}x{w}", (h, w), depth, **how)


def maxpool(tag: str, size: int, **how: Any) -> Step:
    """A max pooling."""
    return Step("max", f"MaxPool_{tag}_{size}x{size}", _pair(size), **how)


def avg(tag: str, size: int, **how: Any) -> Step:
    """An average pooling."""
    return Step("avg", f"AvgPool_{tag}_{size}x{size}", _pair(size), **how)


def depth_function(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """From a layer's published depth to the one it gets.

    Raises:
      ValueError: If the multiplier is not greater than zero.
    """
    if depth_multiplier <= 0:
        raise ValueError(f"depth_multiplier is not greater than zero. Received: {depth_multiplier}")
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def stack(
    net: Any,
    stages: Sequence[Any],
    final_endpoint: str,
    depth: Callable[[int], int],
    end_points: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """Build stages up to one of them.

    Returns:
      Its output, and the outputs so far by scope.

    Raises:
      ValueError: If no stage is called so.
    """
    if final_endpoint in end_points:
        return end_points[final_endpoint], end_points
    for stage in stages:
        net = end_points[stage.scope] = stage.build(net, depth)
        if stage.scope == final_endpoint:
            return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def reduced_kernel(net: Any, size: int) -> list[int]:
    """A square kernel, cut to the image where that is known to be smaller."""
    _, height, width, _ = net.shape.as_list()
    if height is None or width is None:
        return [size, size]
    return [min(height, size), min(width, size)]


def head(
    net: Any,
    pool: Callable[[Any], Any],
    names: tuple[str, str],
    num_classes: int,
    dropout_keep_prob: float,
    spatial_squeeze: bool,
    prediction_fn: Callable[..., Any],
    end_points: dict[str, Any],
    inside: bool = False,
    keep: bool = False,
) -> Any:
    """Pooling, dropout and logits; the predictions as an end point.

    Args:
      net: The features.
      pool: Pools them.
      names: The scopes of the dropout and of the convolution.
      num_classes: The number of classes.
      dropout_keep_prob: The share that dropout keeps.
      spatial_squeeze: Whether to drop the sides.
      prediction_fn: From logits to predictions.
      end_points: Gets "Logits", "Predictions" and "PreLogits".
      inside: Whether the predictions are in the logits' scope.
      keep: Whether the features before the logits are an end point.

    Returns:
      The logits.
    """
    with tf.variable_scope("Logits"):
        net = dropout(pool(net), dropout_keep_prob, scope=names[0])
        if keep:
            end_points["PreLogits"] = net
        plain: dict[str, Any] = {"activation_fn": None, "normalizer_fn": None}
        logits = conv2d(net, num_classes, [1, 1], scope=names[1], **plain)
        if spatial_squeeze:
            logits = tf.squeeze(logits, [1, 2], name="SpatialSqueeze")
        end_points["Logits"] = logits
        if inside:
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    if not inside:
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits


def scope_with(weight_decay: float, normalizer_fn: Any = batch_norm, **norm: Any) -> Any:
    """The arguments under which the networks are built.

    Args:
      weight_decay: The scale of the l2 regularizer.
      normalizer_fn: The normalization, or None.
      **norm: Its arguments; ``batch_norm_var_collection`` is the moving averages' collection.

    Returns:
      A scope for `arg_scope`.
    """
    params: dict[str, Any] = {}
    if normalizer_fn is not None:
        moving = [norm.pop("batch_norm_var_collection")]
        params = {
            "decay": 0.9997,
            "epsilon": 0.001,
            "updates_collections": tf.GraphKeys.UPDATE_OPS,
            **norm,
            "variables_collections": {
                "beta": None,
                "gamma": None,
                "moving_mean": moving,
                "moving_variance": moving,
            },
        }
    with (
        arg_scope([conv2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [conv2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=tf.nn.relu,
            normalizer_fn=normalizer_fn,
            normalizer_params=params,
        ) as scope,
    ):
        return scope
