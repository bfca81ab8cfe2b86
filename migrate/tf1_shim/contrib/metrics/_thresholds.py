"""Metrics from confusion counts at many thresholds, and rates from one."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import (
    EPSILON,
    Metric,
    broadcast,
    collect,
    graph_only,
    squeeze,
    variable,
)

#: The four counts by their short names: the variable's name, and the signs of label and prediction.
KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}

PrecisionRecallData = namedtuple(
    "PrecisionRecallData", ["tp", "fp", "tn", "fn", "precision", "recall", "thresholds"]
)


def spread(num_thresholds: int) -> list[float]:
    """Equally spaced thresholds; the outer two lie just outside of 0 and 1."""
    inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
    return [0.0 - EPSILON, *inner, 1.0 + EPSILON]


def confusion(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    kinds: Sequence[str] = ("tp", "fn", "tn", "fp"),
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Count at each threshold, in variables ``true_positives`` and so on.

    Args:
      predictions: Scores, float32.
      labels: A tensor that is cast to bool.
      thresholds: What the scores must exceed to count as positive.
      weights: None, a scalar, or a tensor that can be broadcast to the predictions.
      kinds: Which of the four counts.

    Returns:
      The variables, and the operations that add a batch, both by kind.
    """
    predictions, labels, weights = squeeze(predictions, labels, weights)
    count = len(thresholds)
    flat = tf.reshape(predictions, [1, -1])
    limits = tf.expand_dims(tf.constant(thresholds), 1)
    above = tf.greater(flat, limits)
    positive = tf.tile(tf.reshape(tf.cast(labels, tf.bool), [1, -1]), [count, 1])
    if weights is not None:
        weights = tf.reshape(broadcast(tf.cast(weights, tf.float32), predictions), [1, -1])
    values, updates = {}, {}
    for kind, (name, label_sign, prediction_sign) in KINDS.items():
        if kind not in kinds:
            continue
        total = variable([count], tf.float32, name)
        seen = tf.cast(
            tf.logical_and(
                positive if label_sign else tf.logical_not(positive),
                above if prediction_sign else tf.logical_not(above),
            ),
            tf.float32,
        )
        if weights is not None:
            seen *= weights
        updates[kind] = tf.assign_add(total, tf.reduce_sum(seen, 1))
        values[kind] = total
    return values, updates


def _one(kind: str, predictions: Any, labels: Any, thresholds: Any, weights: Any) -> Metric:
    graph_only(f"streaming_{KINDS[kind][0]}_at_thresholds")
    values, updates = confusion(predictions, labels, thresholds, weights, (kind,))
    return values[kind], updates[kind]


def streaming_true_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Metric:
    """True positives at each threshold.

    Args:
      predictions: Scores, float32.
      labels: A tensor of the predictions' shape, cast to bool.
      thresholds: What the scores must exceed to count as positive.
      weights: None, a scalar, or a tensor that can be broadcast to the predictions.

    Returns:
      The variable, float32 (len(thresholds)), and the operation that adds a batch.
    """
    return _one("tp", predictions, labels, thresholds, weights)


def streaming_false_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Metric:
    """False negatives at each threshold: see `streaming_true_positives_at_thresholds`."""
    return _one("fn", predictions, labels, thresholds, weights)


def streaming_false_positives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Metric:
    """False positives at each threshold: see `streaming_true_positives_at_thresholds`."""
    return _one("fp", predictions, labels, thresholds, weights)


def streaming_true_negatives_at_thresholds(
    predictions: Any, labels: Any, thresholds: Sequence[float], weights: Any = None
) -> Metric:
    """True negatives at each threshold: see `streaming_true_positives_at_thresholds`."""
    return _one("tn", predictions, labels, thresholds, weights)


def _rate(part: Any, rest: Any, name: str) -> Any:
    total = part + rest
    return tf.where(tf.greater(total, 0), tf.div(part, total), tf.zeros_like(total), name)


def streaming_false_positive_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """False positives over all that is negative; 0 where nothing is.

    Args:
      predictions: A tensor that is cast to bool.
      labels: A tensor of the same shape, cast to bool.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "false_positive_rate".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    graph_only("streaming_false_positive_rate")
    with tf.variable_scope(name, "false_positive_rate", (predictions, labels, weights)):
        predictions, labels, weights = squeeze(
            tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights
        )
        wrong, wrong_update = tf.metrics.false_positives(labels, predictions, weights)
        right, right_update = tf.metrics.true_negatives(labels, predictions, weights)
        return collect(
            _rate(wrong, right, "value"),
            _rate(wrong_update, right_update, "update_op"),
            metrics_collections,
            updates_collections,
        )


def streaming_false_negative_rate(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """False negatives over all that is positive: see `streaming_false_positive_rate`."""
    graph_only("streaming_false_negative_rate")
    with tf.variable_scope(name, "false_negative_rate", (predictions, labels, weights)):
        predictions, labels, weights = squeeze(
            tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights
        )
        wrong, wrong_update = tf.metrics.false_negatives(labels, predictions, weights)
        right, right_update = tf.metrics.true_positives(labels, predictions, weights)
        return collect(
            _rate(wrong, right, "value"),
            _rate(wrong_update, right_update, "update_op"),
            metrics_collections,
            updates_collections,
        )


def streaming_false_positive_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """False positives over all that is negative, at each threshold.

    Args:
      predictions: Scores, float32.
      labels: A tensor of the same shape, cast to bool.
      thresholds: What the scores must exceed to count as positive.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "false_positive_rate_at_thresholds".

    Returns:
      The value, float32 (len(thresholds)), and the operation that takes in a batch.
    """
    graph_only("streaming_false_positive_rate_at_thresholds")
    scoped = (predictions, labels, weights)
    with tf.variable_scope(name, "false_positive_rate_at_thresholds", scoped):
        values, updates = confusion(predictions, labels, thresholds, weights, ("fp", "tn"))
        rate, update = (
            tf.div(part["fp"], EPSILON + part["fp"] + part["tn"], name="fpr_" + end)
            for part, end in ((values, "value"), (updates, "update_op"))
        )
        return collect(rate, update, metrics_collections, updates_collections)


def streaming_false_negative_rate_at_thresholds(
    predictions: Any,
    labels: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """False negatives over all that is positive, at each threshold.

    The arguments and results are those of `streaming_false_positive_rate_at_thresholds`.
    """
    graph_only("streaming_false_negative_rate_at_thresholds")
    scoped = (predictions, labels, weights)
    with tf.variable_scope(name, "false_negative_rate_at_thresholds", scoped):
        values, updates = confusion(predictions, labels, thresholds, weights, ("fn", "tp"))
        rate, update = (
            tf.div(part["fn"], EPSILON + part["fn"] + part["tp"], name="fnr_" + end)
            for part, end in ((values, "value"), (updates, "update_op"))
        )
        return collect(rate, update, metrics_collections, updates_collections)


def streaming_curve_points(
    labels: Any = None,
    predictions: Any = None,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> Metric:
    """The points of the receiver operating characteristic or of precision against recall.

    Args:
      labels: A tensor that is cast to bool.
      predictions: Scores from 0 to 1, float32, of the labels' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      num_thresholds: How many equally spaced thresholds.
      metrics_collections: Names of collections to add the points to.
      updates_collections: Names of collections to add the update to.
      curve: "ROC" (false positive rate, recall) or "PR" (recall, precision).
      name: The variable scope; by default "curve_points".

    Returns:
      The points, float32 (num_thresholds, 2), and the operation that takes in a batch.

    Raises:
      ValueError: If `curve` is neither.
    """
    graph_only("streaming_curve_points")
    with tf.variable_scope(name, "curve_points", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be 'ROC' or 'PR'. Received: {curve!r}")
        values, updates = confusion(predictions, labels, spread(num_thresholds), weights)
        epsilon = 1e-6
        tp, fn, tn, fp = (values[kind] for kind in ("tp", "fn", "tn", "fp"))
        recall = tf.div(tp + epsilon, tp + fn + epsilon)
        if curve == "ROC":
            axes = [tf.div(fp, fp + tn + epsilon), recall]
        else:
            axes = [recall, tf.div(tp + epsilon, tp + fp + epsilon)]
        points = tf.stack(axes, axis=1)
        update = tf.group(*updates.values())
        return collect(points, update, metrics_collections, updates_collections)


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The best F1 score, the harmonic mean of precision and recall, over many thresholds.

    Args:
      labels: A tensor that is cast to bool.
      predictions: Scores from 0 to 1, float32, of the labels' shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      num_thresholds: How many equally spaced thresholds are tried.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "f1".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.

    Raises:
      tf.errors.InvalidArgumentError: If a score is not from 0 to 1.
    """
    graph_only("f1_score")
    with tf.variable_scope(name, "f1", (labels, predictions, weights)):
        predictions, labels, weights = squeeze(predictions, labels, weights)
        with tf.control_dependencies(_within_one(predictions)):
            predictions = tf.identity(predictions)
        values, updates = confusion(
            predictions, labels, spread(num_thresholds), weights, ("tp", "fp", "fn")
        )

        def best(counts: dict[str, Any], end: str) -> Any:
            tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
            precision = tf.div(tp, EPSILON + tp + fp, name="precision_" + end)
            recall = tf.div(tp, EPSILON + tp + fn, name="recall_" + end)
            f1 = 2.0 * precision * recall / (precision + recall + EPSILON)
            return tf.reduce_max(f1)

        return collect(
            best(values, "value"), best(updates, "update"), metrics_collections, updates_collections
        )


def _within_one(predictions: Any) -> list[Any]:
    said = "predictions must be from 0 to 1"
    return [
        tf.assert_greater_equal(predictions, tf.cast(0.0, predictions.dtype), message=said),
        tf.assert_less_equal(predictions, tf.cast(1.0, predictions.dtype), message=said),
    ]


def recall_at_precision(
    labels: Any,
    predictions: Any,
    precision: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
    strict_mode: bool = False,
) -> Metric:
    """The recall at the threshold whose precision is nearest to the one given.

    Args:
      labels: A tensor that is cast to bool.
      predictions: Scores from 0 to 1, float32, of the labels' shape.
      precision: From 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      num_thresholds: How many equally spaced thresholds are tried.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "recall_at_precision".
      strict_mode: Take the nearest precision that is not below; recall 0 if all are.

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.

    Raises:
      ValueError: If `precision` is not from 0 to 1.
    """
    graph_only("recall_at_precision")
    if not 0 <= precision <= 1:
        raise ValueError(f"precision must be from 0 to 1. Received: {precision}")

    def recall(counts: dict[str, Any], end: str) -> Any:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        reached = tf.div(tp, tp + fp + EPSILON)
        gap = reached - precision
        if strict_mode:
            at = tf.argmax(tf.div(1.0, gap + EPSILON), 0, output_type=tf.int32)
        else:
            at = tf.argmin(tf.abs(gap), 0, output_type=tf.int32)
        if not strict_mode:
            return tf.div(tp[at], tp[at] + fn[at] + EPSILON, end)
        return tf.cond(
            reached[at] >= precision,
            lambda: tf.div(tp[at], tp[at] + fn[at] + EPSILON, end),
            lambda: 0.0,
        )

    with tf.variable_scope(name, "recall_at_precision", (predictions, labels, weights)):
        values, updates = confusion(predictions, labels, spread(num_thresholds), weights)
        return collect(
            recall(values, "value"),
            recall(updates, "update_op"),
            metrics_collections,
            updates_collections,
        )


def precision_at_recall(
    labels: Any,
    predictions: Any,
    target_recall: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The precision at the highest threshold that still reaches a recall.

    Args:
      labels: A tensor that is cast to bool.
      predictions: Scores from 0 to 1, float32, of the labels' shape.
      target_recall: From 0 to 1.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      num_thresholds: How many equally spaced thresholds are tried.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "precision_at_recall".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.

    Raises:
      ValueError: If `target_recall` is not from 0 to 1.
    """
    graph_only("precision_at_recall")
    if not 0 <= target_recall <= 1:
        raise ValueError(f"target_recall must be from 0 to 1. Received: {target_recall}")

    def precision(counts: dict[str, Any], end: str) -> Any:
        tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
        reaches = tf.greater_equal(tf.div(tp, tp + fn + EPSILON), target_recall)
        at = tf.reduce_sum(tf.cast(reaches, tf.int64)) - 1
        return tf.div(tp[at] + EPSILON, tp[at] + fp[at] + EPSILON, end)

    with tf.variable_scope(name, "precision_at_recall", (predictions, labels, weights)):
        values, updates = confusion(predictions, labels, spread(num_thresholds), weights)
        return collect(
            precision(values, "value"),
            precision(updates, "update_op"),
            metrics_collections,
            updates_collections,
        )


def precision_recall_at_equal_thresholds(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> tuple[PrecisionRecallData, Any]:
    """All four counts, precision and recall at equally spaced thresholds, with little memory.

    A score belongs to the bucket ``floor(score * (num_thresholds - 1))``, so time and memory are
    linear in the batch and in the thresholds, not in their product.

    Args:
      labels: A bool tensor.
      predictions: Scores from 0 to 1 of the same shape.
      weights: None, a scalar, or a tensor that can be broadcast to the labels.
      num_thresholds: How many; by default 201.
      use_locking: Whether two updates of the buckets exclude each other; by default True.
      name: The variable scope; by default "precision_recall_at_equal_thresholds".

    Returns:
      A `PrecisionRecallData` (tp, fp, tn, fn, precision, recall, thresholds; each of the
      predictions' type, (num_thresholds)), and the operation that takes in a batch.

    Raises:
      TypeError: If the labels are not bool.
      tf.errors.InvalidArgumentError: If a score is not from 0 to 1.
    """
    graph_only("precision_recall_at_equal_thresholds")
    count = 201 if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    tf.debugging.assert_type(labels, tf.bool)
    scoped = (labels, predictions, weights)
    with tf.variable_scope(name, "precision_recall_at_equal_thresholds", scoped):
        with tf.control_dependencies(_within_one(predictions)):
            predictions, labels, weights = squeeze(tf.identity(predictions), labels, weights)
        positive = tf.cast(labels, tf.float64)
        weights = tf.cast(weights, tf.float64)
        true = tf.reshape(positive * weights, [-1])
        false = tf.reshape((1.0 - positive) * weights, [-1])
        predictions = tf.reshape(predictions, [-1])
        bucket = tf.cast(tf.floor(predictions * (count - 1)), tf.int32)
        locking = True if use_locking is None else use_locking
        with tf.name_scope("variables"):
            tp_buckets = variable([count], tf.float64, "tp_buckets")
            fp_buckets = variable([count], tf.float64, "fp_buckets")
        with tf.name_scope("update_op"):
            update_tp = tf.scatter_add(tp_buckets, bucket, true, use_locking=locking)
            update_fp = tf.scatter_add(fp_buckets, bucket, false, use_locking=locking)
        tp = tf.cumsum(tp_buckets, reverse=True, name="tp")
        fp = tf.cumsum(fp_buckets, reverse=True, name="fp")
        fn = tp[0] - tp
        least = tf.constant(1e-7, tf.float64)
        result = PrecisionRecallData(
            *(
                tf.cast(part, predictions.dtype)
                for part in (
                    tp,
                    fp,
                    fp[0] - fp,
                    fn,
                    tp / tf.maximum(least, tp + fp),
                    tp / tf.maximum(least, tp + fn),
                    tf.linspace(0.0, 1.0, count),
                )
            )
        )
        return result, tf.group(update_tp, update_fp)
