"""Metrics of the k best classes of ``tf.metrics``: there the labels come first."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import Metric
from migrate.tf1_shim.contrib.metrics._means import streaming_mean


def streaming_sparse_average_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over the rows of average precision among the k highest scores.

    Args:
      predictions: The logits or scores (…, num_classes).
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them, or (…) for one each.
      k: How many of the highest scores count.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "average_precision_at_K".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.average_precision_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sparse_precision_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of the k highest scores that are labels.

    Args:
      predictions: The logits or scores (…, num_classes).
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them, or (…) for one each.
      k: How many of the highest scores count.
      class_id: Count only this class; None for all.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "precision_at_K".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.precision_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        class_id=class_id,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_sparse_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of the labels that are among the k highest scores.

    Args:
      predictions: The logits or scores (…, num_classes).
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them, or (…) for one each.
      k: How many of the highest scores count.
      class_id: Count only this class; None for all.
      weights: None, a scalar, or a tensor that can be broadcast to the labels; 0 masks.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "recall_at_K".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    return tf.metrics.recall_at_k(
        labels=labels,
        predictions=predictions,
        k=k,
        class_id=class_id,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often the label is among the k highest scores; the older of two of that name.

    Args:
      predictions: Scores, float32 (batch, num_classes).
      labels: Class ids (batch).
      k: How many of the highest scores count.
      weights: None, a scalar or (batch).
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope of the variables; by default "recall_at_K".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    found = tf.cast(tf.nn.in_top_k(predictions, labels, k), tf.float32)
    return streaming_mean(
        found, weights, metrics_collections, updates_collections, name or f"recall_at_{k}"
    )


def _at_k(name: str, class_id: int | None) -> str:
    return f"{name}_at_k" if class_id is None else f"{name}_at_k_class{class_id}"


def streaming_sparse_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of the given class ids that are labels.

    Args:
      top_k_predictions: Class ids of the highest scores, integers (…, k).
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them, or (…) for one each.
      class_id: Count only this class; None for all.
      weights: None, a scalar or (…), one for each row.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The name scope; by default "precision_at_k".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    values = (top_k_predictions, labels, weights)
    with tf.name_scope(name, _at_k("precision", class_id), values) as scope:
        return tf.metrics.precision_at_top_k(
            labels=labels,
            predictions_idx=top_k_predictions,
            class_id=class_id,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=scope,
        )


def sparse_recall_at_top_k(
    labels: Any,
    top_k_predictions: Any,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The share of the labels that are among the given class ids.

    Args:
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them, or (…) for one each.
      top_k_predictions: Class ids of the highest scores, integers (…, k).
      class_id: Count only this class; None for all.
      weights: None, a scalar or (…), one for each row.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The name scope; by default "recall_at_k".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    values = (top_k_predictions, labels, weights)
    with tf.name_scope(name, _at_k("recall", class_id), values) as scope:
        return tf.metrics.recall_at_top_k(
            labels=labels,
            predictions_idx=top_k_predictions,
            class_id=class_id,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=scope,
        )
