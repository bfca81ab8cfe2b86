"""Means, errors and shares of ``tf.metrics``: there the labels come first."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import Metric


def streaming_mean_absolute_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of ``|predictions - labels|``.

    Args:
      predictions: A tensor.
      labels: A tensor of the predictions' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean_absolute_error".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean_absolute_error(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_iou(
    predictions: Any,
    labels: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over the classes of intersection over union.

    Args:
      predictions: Class ids.
      labels: Class ids.
      num_classes: How many classes there are.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean_iou".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean_iou(
        labels=labels,
        predictions=predictions,
        num_classes=num_classes,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_relative_error(
    predictions: Any,
    labels: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of ``|predictions - labels| / normalizer``, 0 where the normalizer is.

    Args:
      predictions: A tensor.
      labels: A tensor of the predictions' shape.
      normalizer: A tensor of the predictions' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean_relative_error".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean_relative_error(
        labels=labels,
        predictions=predictions,
        normalizer=normalizer,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_squared_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of ``(predictions - labels) ** 2``.

    Args:
      predictions: A tensor.
      labels: A tensor of the predictions' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean_squared_error".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean_squared_error(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_root_mean_squared_error(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The root of the mean squared error.

    Args:
      predictions: A tensor.
      labels: A tensor of the predictions' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "root_mean_squared_error".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.root_mean_squared_error(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weighted mean of all values.

    Args:
      values: A tensor.
      weights: None, a scalar, or a tensor that can be broadcast to the values.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean(
        values=values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weighted mean of each entry over the batches, in the values' shape.

    Args:
      values: A tensor.
      weights: None, a scalar, or a tensor that can be broadcast to the values.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "mean_tensor".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.mean_tensor(
        values=values,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_percentage_less(
    values: Any,
    threshold: float,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weighted share of the values below a threshold, from 0 to 1.

    Args:
      values: A tensor.
      threshold: What the values are compared with.
      weights: None, a scalar, or a tensor that can be broadcast to the values.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "percentage_below".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.percentage_below(
        values=values,
        threshold=threshold,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )
