"""The streaming metrics that ``tf.metrics`` has too: there the labels come first."""

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
