"""Counts and rates of decisions of ``tf.metrics``: there the labels come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import Metric


def streaming_accuracy(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often the predictions equal the labels.

    Args:
      predictions: A tensor.
      labels: A tensor of the predictions' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "accuracy".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.accuracy(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """The area under the curve, by the trapezoidal rule over equally spaced thresholds.

    Args:
      predictions: Scores from 0 to 1, float32.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      num_thresholds: How many thresholds.
      curve: "ROC", or "PR" for precision against recall.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "auc".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.auc(
        labels=labels,
        predictions=predictions,
        weights=weights,
        num_thresholds=num_thresholds,
        curve=curve,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_false_negatives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weight of the positive labels that were predicted negative.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "false_negatives".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.false_negatives(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_false_positives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weight of the negative labels that were predicted positive.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "false_positives".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.false_positives(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_precision(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """True positives over all that was predicted positive; 0 where nothing was.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "precision".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.precision(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_precision_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Precision for each threshold, float32 (len(thresholds)).

    Args:
      predictions: Scores, float32.
      labels: A tensor that is cast to bool.
      thresholds: A list of floats from 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "precision_at_thresholds".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.precision_at_thresholds(
        labels=labels,
        predictions=predictions,
        thresholds=thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """True positives over all that is positive; 0 where nothing is.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "recall".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.recall(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Recall for each threshold, float32 (len(thresholds)).

    Args:
      predictions: Scores, float32.
      labels: A tensor that is cast to bool.
      thresholds: A list of floats from 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "recall_at_thresholds".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.recall_at_thresholds(
        labels=labels,
        predictions=predictions,
        thresholds=thresholds,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sensitivity_at_specificity(
    predictions: Any,
    labels: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The sensitivity at the threshold whose specificity is nearest to the one given.

    Args:
      predictions: Scores, float32.
      labels: A tensor that is cast to bool.
      specificity: From 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      num_thresholds: How many equally spaced thresholds are tried.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "sensitivity_at_specificity".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.sensitivity_at_specificity(
        labels=labels,
        predictions=predictions,
        specificity=specificity,
        weights=weights,
        num_thresholds=num_thresholds,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_specificity_at_sensitivity(
    predictions: Any,
    labels: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The specificity at the threshold whose sensitivity is nearest to the one given.

    Args:
      predictions: Scores, float32.
      labels: A tensor that is cast to bool.
      sensitivity: From 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      num_thresholds: How many equally spaced thresholds are tried.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "specificity_at_sensitivity".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.specificity_at_sensitivity(
        labels=labels,
        predictions=predictions,
        sensitivity=sensitivity,
        weights=weights,
        num_thresholds=num_thresholds,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_true_negatives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weight of the negative labels that were predicted negative.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "true_negatives".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.true_negatives(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_true_positives(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The weight of the positive labels that were predicted positive.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor that is cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "true_positives".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.true_positives(
        labels=labels,
        predictions=predictions,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )
