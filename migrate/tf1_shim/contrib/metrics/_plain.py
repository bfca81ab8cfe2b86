"""What keeps no state, or only groups what others made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import Metric, squeeze


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """The share of the predictions that equal the labels, of this batch only.

    Args:
      predictions: A tensor of integers, bools or strings.
      labels: A tensor of the same type and shape.
      weights: None, or a float32 tensor that can be broadcast to the labels.
      name: The name scope; by default "accuracy".

    Returns:
      A float32 scalar.

    Raises:
      ValueError: If the types differ or the labels are floats.
    """
    if not (labels.dtype.is_integer or labels.dtype in (tf.bool, tf.string)):
        raise ValueError(f"labels must be integers, bools or strings. Received: {labels.dtype!r}")
    if not labels.dtype.is_compatible_with(predictions.dtype):
        raise ValueError(
            f"predictions and labels must have one type. Received: {predictions.dtype!r} and "
            f"{labels.dtype!r}"
        )
    with tf.name_scope(name, "accuracy", values=[predictions, labels]):
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(right)
        right = tf.multiply(right, weights)
        total = tf.reduce_sum(tf.multiply(weights, tf.ones_like(right)))
        return tf.div(tf.reduce_sum(right), total)


def aggregate_metrics(*value_update_tuples: Metric) -> tuple[list[Any], list[Any]]:
    """Turn pairs of value and update into a list of values and one of updates.

    Raises:
      ValueError: If there is no pair.
    """
    if not value_update_tuples:
        raise ValueError("Expected at least one pair of a value and an update")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(
    names_to_tuples: Mapping[str, Metric],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Turn a dictionary of pairs into one of values and one of updates.

    Args:
      names_to_tuples: Names to pairs of a value and an update, as the metrics return them.

    Returns:
      Names to values, and names to updates.

    Raises:
      ValueError: If there is no pair.
    """
    values, updates = aggregate_metrics(*names_to_tuples.values())
    names = list(names_to_tuples)
    return dict(zip(names, values, strict=True)), dict(zip(names, updates, strict=True))


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: int | None = None,
    dtype: Any = tf.int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """Count how often each class was predicted as each other: ``tf.math.confusion_matrix``.

    Args:
      labels: Class ids (batch).
      predictions: Class ids (batch).
      num_classes: How many classes; by default one more than the largest id.
      dtype: The type of the counts.
      name: The name scope.
      weights: None, or a tensor (batch).

    Returns:
      (num_classes, num_classes), a row for each label, a column for each prediction.
    """
    return tf.confusion_matrix(
        labels=labels,
        predictions=predictions,
        num_classes=num_classes,
        dtype=dtype,
        name=name,
        weights=weights,
    )


def auc_using_histogram(
    boolean_labels: Any,
    scores: Any,
    score_range: Any,
    nbins: int = 100,
    collections: Any = None,
    check_shape: bool = True,
    name: str | None = None,
) -> Metric:
    """The area under the ROC curve, from one histogram of scores for each kind of label.

    Args:
      boolean_labels: A bool tensor (batch).
      scores: Scores (batch).
      score_range: A pair (2): scores outside of it count as at its ends.
      nbins: How many bins.
      collections: Where the variables belong; by default LOCAL_VARIABLES.
      check_shape: Whether both are asserted to have rank 1 when they are used.
      name: The variable scope; by default "auc_using_histogram".

    Returns:
      The area, a float32 scalar, and the operation that takes in a batch.

    Raises:
      ValueError: If the labels are not bool.
    """
    if collections is None:
        collections = [tf.GraphKeys.LOCAL_VARIABLES]
    with tf.variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        scores, boolean_labels, _ = squeeze(scores, boolean_labels, None)
        score_range = tf.convert_to_tensor(score_range, name="score_range")
        if boolean_labels.dtype != tf.bool:
            raise ValueError(f"boolean_labels must be bool. Received: {boolean_labels.dtype!r}")
        if check_shape:
            checks = [
                tf.assert_rank(tensor, 1, message=f"{what} must have rank 1")
                for tensor, what in ((boolean_labels, "boolean_labels"), (scores, "scores"))
            ]
            with tf.control_dependencies(checks):
                scores, boolean_labels = tf.identity(scores), tf.identity(boolean_labels)
        histograms = [
            tf.histogram_fixed_width(
                tf.boolean_mask(scores, mask), score_range, nbins=nbins, dtype=tf.int64
            )
            for mask in (boolean_labels, tf.logical_not(boolean_labels))
        ]
        with tf.variable_scope(None, "hist_accumulate", histograms):
            totals = [
                tf.get_variable(
                    f"hist_{kind}_acc",
                    shape=[nbins],
                    dtype=tf.int64,
                    initializer=tf.zeros_initializer(),
                    collections=collections,
                    trainable=False,
                )
                for kind in ("true", "false")
            ]
            update = tf.group(
                *(t.assign_add(h) for t, h in zip(totals, histograms, strict=True)),
                name="update_op",
            )
        # From the highest score down: the steps of the true and of the false positive rate.
        rises, widths = (
            tf.cast(tf.reverse(tf.truediv(t, tf.reduce_sum(t)), [0]), tf.float32) for t in totals
        )
        heights = tf.cumsum(rises)
        first = widths[0] * heights[0] / 2.0
        others = widths[1:] * (heights[1:] + heights[: nbins - 1]) / 2.0
        return tf.add(first, tf.reduce_sum(others), name="auc"), update
