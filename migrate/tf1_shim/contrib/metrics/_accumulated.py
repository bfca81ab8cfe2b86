"""Metrics that keep all values: the concatenation, and the areas under curves computed from it."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import (
    EPSILON,
    Metric,
    collect,
    graph_only,
    squeeze,
    variable,
)

AucData = namedtuple("AucData", ["auc", "lower", "upper"])


def _next_size(wanted: Any, growth: float = 1.5) -> Any:
    """The next power of the growth factor, rounded up, so that space grows geometrically."""
    steps = tf.ceil(tf.log(tf.cast(wanted, tf.float32)) / tf.log(tf.cast(growth, tf.float32)))
    return tf.cast(tf.ceil(growth**steps), tf.int32)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """All values so far, one after the other.

    Args:
      values: A tensor of known rank; all dimensions but that of `axis` are known.
      axis: The dimension to concatenate along.
      max_size: The most that is kept along it; None for no limit.
      metrics_collections: Names of collections to add the values to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "streaming_concat".

    Returns:
      The values, and the operation that appends a batch.

    Raises:
      ValueError: If the rank or another dimension is unknown, or there is no such axis.
    """
    graph_only("streaming_concat")
    with tf.variable_scope(name, "streaming_concat", (values,)):
        rank = values.shape.rank
        if rank is None:
            raise ValueError("values must have a known rank")
        at = axis + rank if axis < 0 else axis
        if not 0 <= at < rank:
            raise ValueError(f"axis must be in [{-rank}, {rank}). Received: {axis}")
        sizes = values.shape.as_list()
        fixed = sizes[:at] + sizes[at + 1 :]
        if None in fixed:
            raise ValueError(
                f"all dimensions of values but that of axis {at} must be known: {values.shape}"
            )
        first = 0 if max_size is None else max_size
        array = variable([first, *fixed], values.dtype, "array", validate_shape=False)
        size = variable([], tf.int32, "size")
        kept = array[:size]
        kept.set_shape([None, *fixed])
        back = [0 if n == at else n + 1 if n < at else n for n in range(rank)]
        value = tf.transpose(kept, back, name="concat")
        number = tf.shape(values)[at]
        if max_size is not None:
            number = tf.minimum(number, max_size - size)
        forth = [at] + [n for n in range(rank) if n != at]
        batch = tf.transpose(values, forth)[:number]
        after = size + number

        def reallocate() -> Any:
            space = tf.zeros(tf.stack([_next_size(after), *fixed]), values.dtype)
            old = tf.identity(array.value())
            with tf.control_dependencies([old]):
                grown = tf.assign(array, space, validate_shape=False)
            with tf.control_dependencies([grown]):
                copied = array[:size].assign(old[:size])
            with tf.control_dependencies([copied]):
                return tf.no_op()

        # The shape that the graph knows is the initial one; the array's is only known at run time.
        room = tf.raw_ops.Shape(input=array.value())[0]
        ready = tf.cond(after > room, reallocate, tf.no_op)
        with tf.control_dependencies([ready]):
            appended = array[size:after].assign(batch)
        with tf.control_dependencies([appended]):
            update = size.assign(after)
        return collect(value, update, metrics_collections, updates_collections)


def _zero_or_one(labels: Any) -> list[Any]:
    said = "labels must be 0 or 1"
    return [
        tf.assert_greater_equal(labels, tf.zeros_like(labels), message=said),
        tf.assert_less_equal(labels, tf.ones_like(labels), message=said),
    ]


def streaming_dynamic_auc(
    labels: Any,
    predictions: Any,
    curve: str = "ROC",
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
    weights: Any = None,
) -> Metric:
    """The area under the exact curve, from all scores, with a threshold at each of them.

    Args:
      labels: 0 or 1.
      predictions: Scores of the labels' shape, in any range.
      curve: "ROC", or "PR" for precision against recall.
      metrics_collections: Names of collections to add the area to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "dynamic_auc".
      weights: None, or a tensor of the labels' shape.

    Returns:
      The area, a float64 scalar (0 while all labels are the same), and the operation that takes
      in a batch.

    Raises:
      ValueError: If `curve` is neither, or the shapes do not go together.
    """
    graph_only("streaming_dynamic_auc")
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be 'ROC' or 'PR'. Received: {curve!r}")
    with tf.variable_scope(name, default_name="dynamic_auc"):
        labels.shape.assert_is_compatible_with(predictions.shape)
        predictions = tf.reshape(tf.cast(predictions, tf.float64), [-1])
        labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
        with tf.control_dependencies(_zero_or_one(labels)):
            all_scores, add_scores = streaming_concat(predictions, name="concat_preds")
            all_labels, add_labels = streaming_concat(labels, name="concat_labels")
            if weights is None:
                all_weights = tf.ones_like(all_labels, dtype=tf.float64)
                update = tf.group(add_labels, add_scores)
            else:
                weights = tf.reshape(tf.cast(weights, tf.float64), [-1])
                all_weights, add_weights = streaming_concat(weights, name="concat_weights")
                update = tf.group(add_labels, add_scores, add_weights)
            area = _area(all_labels, all_scores, all_weights, curve)
            return collect(area, update, metrics_collections, updates_collections)


def _area(labels: Any, scores: Any, weights: Any, curve: str) -> Any:
    """The trapezoids under the curve through the points where the score changes."""
    nothing = tf.zeros_like(weights)
    total = tf.reduce_sum(weights)
    total_positive = tf.reduce_sum(tf.where(tf.greater(labels, 0), weights, nothing))

    def compute() -> Any:
        ordered, order = tf.nn.top_k(scores, k=tf.size(scores))
        sorted_labels, sorted_weights = tf.gather(labels, order), tf.gather(weights, order)
        _, _, counts = tf.unique_with_counts(ordered)
        # Where each run of equal scores ends.
        ends = tf.cast(tf.pad(tf.cumsum(counts), [[1, 0]]), tf.int32)

        def passed(mask: Any) -> Any:
            so_far = tf.cumsum(tf.where(mask, sorted_weights, nothing))
            return tf.gather(tf.pad(so_far, [[1, 0]]), ends)

        positive = passed(tf.greater(sorted_labels, 0))
        recall = tf.truediv(positive, total_positive)
        if curve == "ROC":
            x = tf.truediv(passed(tf.less(sorted_labels, 1)), total - total_positive)
            y = recall
        else:
            x = recall
            all_passed = passed(tf.ones_like(sorted_labels, tf.bool))
            y = tf.where(
                tf.greater(ends, 0), tf.truediv(positive, all_passed), tf.ones_like(positive)
            )
        heights = tf.add(y[1:], y[:-1]) / 2.0
        widths = tf.abs(tf.subtract(x[1:], x[:-1]))
        return tf.reduce_sum(tf.multiply(heights, widths))

    one_sided = tf.logical_or(tf.equal(total_positive, 0), tf.equal(total_positive, total))
    return tf.cond(one_sided, lambda: tf.constant(0, tf.float64), compute)


def auc_with_confidence_intervals(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: Any = (),
    updates_collections: Any = (),
    name: str | None = None,
) -> tuple[AucData, Any]:
    """The area under the ROC curve with a confidence interval, from placement values.

    After Pepe: The Statistical Evaluation of Medical Tests for Classification and Prediction
    (2003), chapter 5.

    Args:
      labels: 0 or 1.
      predictions: Scores of the labels' shape.
      weights: None, or a tensor of the labels' shape.
      alpha: How sure the interval is, between 0 and 1.
      logit_transformation: Whether the interval is that of the logit, which stays from 0 to 1.
      metrics_collections: Names of collections to add the result to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "auc_with_confidence_intervals".

    Returns:
      An `AucData` (auc, lower, upper; all 0 while the current batch has only one kind of label or
      weighs less than one), and the operation that takes in a batch.

    Raises:
      ValueError: If `alpha` is not between 0 and 1.
    """
    graph_only("auc_with_confidence_intervals")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1. Received: {alpha}")
    if weights is None:
        weights = tf.ones_like(predictions)
    scoped = [labels, predictions, weights]
    with tf.variable_scope(name, default_name="auc_with_confidence_intervals", values=scoped):
        predictions, labels, weights = squeeze(predictions, labels, weights)
        heavy = tf.greater_equal(tf.reduce_sum(weights), 1.0)
        weights = tf.reshape(weights, [-1])
        predictions = tf.reshape(tf.cast(predictions, tf.float64), [-1])
        labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
        with tf.control_dependencies(_zero_or_one(labels)):
            all_scores, add_scores = streaming_concat(predictions, name="concat_preds")
            all_labels, add_labels = streaming_concat(labels, name="concat_labels")
            all_weights, add_weights = streaming_concat(weights, name="concat_weights")
            add = tf.group(add_labels, add_scores, add_weights)
            both = tf.logical_and(
                tf.equal(tf.reduce_min(labels), 0), tf.equal(tf.reduce_max(labels), 1)
            )
            update = tf.cond(heavy, lambda: add, tf.no_op)
            found = _placement(all_labels, all_scores, all_weights, alpha, logit_transformation)
            valid = tf.logical_and(both, heavy)
            zero = tf.constant(0.0)
            auc = AucData(*tf.cond(valid, lambda: list(found), lambda: [zero] * 3))
            if updates_collections:
                tf.add_to_collections(updates_collections, update)
            if metrics_collections:
                tf.add_to_collections(metrics_collections, auc)
            return auc, update


def _placement(
    labels: Any, scores: Any, weights: Any, alpha: float, logit_transformation: bool
) -> tuple[Any, Any, Any]:
    """The area and its bounds: the share of the other class below each score, averaged."""
    totals = [
        tf.reduce_sum(tf.cast(mask, weights.dtype) * weights) for mask in (1 - labels, labels)
    ]
    ordered, order = tf.nn.top_k(scores, k=tf.size(scores), sorted=True)
    ordered, order = tf.reverse(ordered, [0]), tf.reverse(order, [0])
    positive = tf.cast(tf.gather(labels, order), tf.float32)
    masks = (1.0 - positive, positive)
    sorted_weights = tf.gather(weights, order)
    _, segments = tf.unique(ordered)
    placements = []
    for mask in masks:
        per_score = tf.segment_sum(sorted_weights * mask, segments)
        below = tf.cumsum(per_score, exclusive=True) + per_score / 2.0
        placements.append(tf.gather(below / (tf.reduce_sum(per_score) + EPSILON), segments))
    # A positive is placed among the negatives, and the other way round.
    value = placements[0] * masks[1] + placements[1] * masks[0]
    parts = []
    for mask, total, above in ((masks[0], totals[0], True), (masks[1], totals[1], False)):
        placed = value * mask
        goodness = 1.0 - placed if above else placed
        own = sorted_weights * mask
        area = tf.reduce_sum(own * goodness) / (total + EPSILON)
        spread = tf.reduce_sum(own * tf.square(goodness - area)) / (total - 1.0 + EPSILON)
        parts.append((area, spread / (total + EPSILON)))
    auc = tf.where(tf.less(totals[0], totals[1]), parts[1][0], parts[0][0])
    error = tf.sqrt(parts[0][1] + parts[1][1])
    z = tf.distributions.Normal(loc=0.0, scale=1.0).quantile((1.0 - alpha) / 2.0)
    if logit_transformation:
        estimate = tf.log(auc / (1.0 - auc + EPSILON))
        error = error / (auc * (1.0 - auc + EPSILON))
        bounds = [
            1.0 / (1.0 + tf.exp(-x) + EPSILON) for x in (estimate + z * error, estimate - z * error)
        ]
    else:
        bounds = [auc + z * error, auc - z * error]
    exact = tf.logical_or(tf.equal(auc, tf.ones_like(auc)), tf.equal(auc, tf.zeros_like(auc)))
    lower, upper = (tf.where(exact, auc, bound) for bound in bounds)
    return auc, lower, upper
