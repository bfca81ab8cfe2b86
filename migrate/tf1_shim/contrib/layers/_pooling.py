"""``tf.contrib.layers``: pools."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import layers as core
from migrate.tf1_shim.contrib.framework import add_arg_scope
from migrate.tf1_shim.contrib.layers import utils
from migrate.tf1_shim.contrib.layers._common import channels_first

__all__ = ["avg_pool2d", "avg_pool3d", "max_pool2d", "max_pool3d", "pool"]


def _pool(
    kind: Any,
    default: str,
    formats: tuple[str, str],
    inputs: Any,
    kernel_size: Any,
    stride: Any,
    padding: str,
    data_format: str,
    outputs_collections: Any,
    scope: Any,
) -> Any:
    df = channels_first(data_format, formats)
    with tf.name_scope(scope, default, [inputs]) as sc:
        layer = kind(
            pool_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=df,
            _scope=sc,
        )
        outputs = layer.apply(tf.convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def avg_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The mean over windows.

    Args:
      inputs: A tensor of rank 4.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps, 2 by default.
      padding: "VALID", the default, or "SAME".
      data_format: "NHWC" or "NCHW".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "AvgPool2D", with a number.

    Returns:
      The pooled tensor.
    """
    return _pool(
        core.AveragePooling2D,
        "AvgPool2D",
        ("NCHW", "NHWC"),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The mean over windows.

    Args:
      inputs: A tensor of rank 5.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps, 2 by default.
      padding: "VALID", the default, or "SAME".
      data_format: "NDHWC" or "NCDHW".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "AvgPool3D", with a number.

    Returns:
      The pooled tensor.
    """
    return _pool(
        core.AveragePooling3D,
        "AvgPool3D",
        ("NCDHW", "NDHWC"),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool2d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The maximum over windows.

    Args:
      inputs: A tensor of rank 4.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps, 2 by default.
      padding: "VALID", the default, or "SAME".
      data_format: "NHWC" or "NCHW".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "MaxPool2D", with a number.

    Returns:
      The pooled tensor.
    """
    return _pool(
        core.MaxPooling2D,
        "MaxPool2D",
        ("NCHW", "NHWC"),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 2,
    padding: str = "VALID",
    data_format: str = "NDHWC",
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """The maximum over windows.

    Args:
      inputs: A tensor of rank 5.
      kernel_size: The window: a number, or one for each spatial axis.
      stride: The steps, 2 by default.
      padding: "VALID", the default, or "SAME".
      data_format: "NDHWC" or "NCDHW".
      outputs_collections: Collections for the output.
      scope: The name scope; by default "MaxPool3D", with a number.

    Returns:
      The pooled tensor.
    """
    return _pool(
        core.MaxPooling3D,
        "MaxPool3D",
        ("NCDHW", "NDHWC"),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def pool(
    inputs: Any,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: Any = 1,
    outputs_collections: Any = None,
    scope: Any = None,
) -> Any:
    """A pool of any rank: see ``tf.nn.pool``.

    Args:
      inputs: A tensor of rank three or more.
      kernel_size: The window: a number, or one for each spatial axis.
      pooling_type: "AVG" or "MAX".
      padding: "VALID", the default, or "SAME".
      data_format: A layout that starts with "NC" puts the channels first.
      dilation_rate: The spacing inside of the window.
      stride: The steps.
      outputs_collections: Collections for the output.
      scope: The name scope; by default "avg_pool" or "max_pool".

    Returns:
      The pooled tensor.

    Raises:
      ValueError: If the rank is unknown or below three.
    """
    with tf.name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as sc:
        inputs = tf.convert_to_tensor(inputs)
        if inputs.shape.rank is None or inputs.shape.rank < 3:
            raise ValueError("Rank of inputs must be known and >= 3.")
        rank = inputs.shape.rank - 2
        outputs = tf.nn.pool(
            input=inputs,
            window_shape=utils.n_positive_integers(rank, kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=utils.n_positive_integers(rank, dilation_rate),
            strides=utils.n_positive_integers(rank, stride),
            name=sc,
        )
        return utils.collect_named_outputs(outputs_collections, sc, outputs)
