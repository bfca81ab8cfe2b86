"""Counts, covariance, correlation, cosine distance, kappa and average precision."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.metrics._common import (
    Metric,
    broadcast,
    collect,
    graph_only,
    squeeze,
    variable,
)


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many values there were, or the sum of their weights.

    Args:
      values: A tensor.
      weights: None, a scalar, or a tensor that can be broadcast to the values.
      metrics_collections: Names of collections to add the count to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "count".

    Returns:
      The count, a float32 variable, and the operation that adds a batch.
    """
    graph_only("count")
    with tf.variable_scope(name, "count", (values, weights)):
        total = variable([], tf.float32, "count")
        if weights is None:
            values = tf.convert_to_tensor(values)
            number = tf.cast(tf.size(values), tf.float32)
        else:
            values, _, weights = squeeze(tf.cast(values, tf.float32), None, weights)
            number = tf.reduce_sum(broadcast(tf.cast(weights, tf.float32), values))
        with tf.control_dependencies([values]):
            update = tf.assign_add(total, number)
        return collect(total, update, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The unbiased sample covariance, by the online algorithm for batches of Chan et al. (1979).

    Args:
      predictions: A float32 tensor.
      labels: A tensor of its shape.
      weights: None, or frequency weights that can be broadcast to the labels.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "covariance".

    Returns:
      The covariance (NaN for less than two values), and the operation that takes in a batch and
      gives the value after it.
    """
    graph_only("streaming_covariance")
    with tf.variable_scope(name, "covariance", (predictions, labels, weights)):
        predictions, labels, weights = squeeze(predictions, labels, weights)
        total = variable([], tf.float32, "count")
        mean_prediction = variable([], tf.float32, "mean_prediction")
        mean_label = variable([], tf.float32, "mean_label")
        comoment = variable([], tf.float32, "comoment")
        if weights is None:
            batch_count = tf.cast(tf.size(labels), tf.float32)
            weighted = predictions, labels
        else:
            weights = broadcast(weights, labels)
            batch_count = tf.reduce_sum(weights)
            weighted = predictions * weights, labels * weights
        update_count = tf.assign_add(total, batch_count)
        before = update_count - batch_count
        batch_means, means_before = [], []
        for mean, values in zip((mean_prediction, mean_label), weighted, strict=True):
            batch_mean = tf.div_no_nan(tf.reduce_sum(values), batch_count)
            step = tf.div_no_nan((batch_mean - mean) * batch_count, update_count)
            means_before.append(tf.assign_add(mean, step) - step)
            batch_means.append(batch_mean)
        residuals = (predictions - batch_means[0]) * (labels - batch_means[1])
        if weights is not None:
            residuals *= weights
        apart = (means_before[0] - batch_means[0]) * (means_before[1] - batch_means[1])
        update_comoment = tf.assign_add(
            comoment, tf.reduce_sum(residuals) + apart * (before * batch_count / update_count)
        )

        def current(end: str) -> Any:
            few = tf.less_equal(total, 1.0)
            return tf.where(few, float("nan"), tf.truediv(comoment, total - 1), name=end)

        covariance = current("covariance")
        with tf.control_dependencies([update_comoment]):
            update = current("update_op")
    return collect(covariance, update, metrics_collections, updates_collections)


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Pearson's correlation coefficient: the covariance over the roots of the variances.

    Args:
      predictions: A float32 tensor.
      labels: A tensor of its shape.
      weights: None, or frequency weights that can be broadcast to the labels.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "pearson_r".

    Returns:
      The coefficient, and the operation that takes in a batch and gives the value after it.
    """
    graph_only("streaming_pearson_correlation")
    with tf.variable_scope(name, "pearson_r", (predictions, labels, weights)):
        predictions, labels, weights = squeeze(predictions, labels, weights)
        if weights is not None:
            weights = broadcast(weights, labels)
        covariance = streaming_covariance(predictions, labels, weights, name="covariance")
        variances = [
            streaming_covariance(values, values, weights, name="variance_" + end)
            for values, end in ((predictions, "predictions"), (labels, "labels"))
        ]
        value, update = (
            tf.truediv(covariance[i], tf.sqrt(variances[0][i]) * tf.sqrt(variances[1][i]), name=end)
            for i, end in enumerate(("pearson_r", "update_op"))
        )
    return collect(value, update, metrics_collections, updates_collections)


def streaming_mean_cosine_distance(
    predictions: Any,
    labels: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """One minus the mean of the products of predictions and labels, which must be normalized.

    Args:
      predictions: A float32 tensor of unit vectors.
      labels: A tensor of its shape.
      dim: The dimension of the vectors.
      weights: None, a scalar, or a tensor that can be broadcast to the labels with `dim` one.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The scope; by default "mean_cosine_distance".

    Returns:
      The value, and the operation that takes in a batch and gives the value after it.
    """
    graph_only("streaming_mean_cosine_distance")
    predictions, labels, weights = squeeze(predictions, labels, weights)
    products = tf.reduce_sum(predictions * labels, axis=[dim], keepdims=True)
    mean, update = tf.metrics.mean(products, weights, name=name or "mean_cosine_distance")
    return collect(
        tf.subtract(1.0, mean),
        tf.subtract(1.0, update),
        metrics_collections,
        updates_collections,
    )


def cohen_kappa(
    labels: Any,
    predictions_idx: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Cohen's kappa, the agreement of two raters beyond chance.

    Args:
      labels: Class ids (batch) or (batch, 1).
      predictions_idx: Class ids of the same shape.
      num_classes: How many classes; at least 2.
      weights: None, or a tensor of the labels' shape.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The variable scope; by default "cohen_kappa".

    Returns:
      The value, a float64 scalar, and the operation that takes in a batch and gives the value
      after it.

    Raises:
      ValueError: If there are less than two classes or the shapes do not go together.
    """
    graph_only("cohen_kappa")
    if num_classes < 2:
        raise ValueError(f"num_classes must be at least 2. Received: {num_classes}")
    with tf.variable_scope(name, "cohen_kappa", (labels, predictions_idx, weights)):
        labels = tf.convert_to_tensor(labels)
        labels.shape.with_rank_at_most(2)
        if labels.shape.rank == 2:
            labels = tf.squeeze(labels, axis=[-1])
        predictions_idx, labels, weights = squeeze(predictions_idx, labels, weights)
        whole = weights is None or weights.dtype.is_integer
        dtype = tf.int64 if whole else tf.float32
        agreed = variable((num_classes,), dtype, "po")
        by_row = variable((num_classes,), dtype, "pe_row")
        by_column = variable((num_classes,), dtype, "pe_col")
        table = tf.confusion_matrix(
            labels,
            predictions_idx,
            num_classes=num_classes,
            weights=weights,
            dtype=dtype,
            name="counts_in_table",
        )
        updated = (
            tf.assign_add(agreed, tf.diag_part(table)),
            tf.assign_add(by_row, tf.reduce_sum(table, axis=0)),
            tf.assign_add(by_column, tf.reduce_sum(table, axis=1)),
        )

        def kappa(po: Any, pe_row: Any, pe_column: Any, end: str) -> Any:
            total = tf.cast(tf.reduce_sum(pe_row), tf.float64)
            chance = tf.reduce_sum(tf.div_no_nan(tf.cast(pe_row * pe_column, tf.float64), total))
            seen = tf.cast(tf.reduce_sum(po), tf.float64)
            return tf.div_no_nan(seen - chance, total - chance, name=end)

        return collect(
            kappa(agreed, by_row, by_column, "value"),
            kappa(*updated, end="update_op"),
            metrics_collections,
            updates_collections,
        )


def streaming_sparse_average_precision_at_top_k(
    top_k_predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean over the rows of average precision among given class ids.

    Args:
      top_k_predictions: Class ids, the best first, int64 (…, k).
      labels: Class ids, int64 (…, num_labels) or a SparseTensor of them; negative ones pad.
      weights: None, a scalar or (…), one for each row.
      metrics_collections: Names of collections to add the value to.
      updates_collections: Names of collections to add the update to.
      name: The name scope; by default "average_precision_at_top_k".

    Returns:
      The value, a float64 scalar, and the operation that takes in a batch and gives the value
      after it.

    Raises:
      ValueError: If k is not known.
    """
    graph_only("streaming_sparse_average_precision_at_top_k")
    scoped = (top_k_predictions, labels, weights)
    with tf.name_scope(name, "average_precision_at_top_k", scoped) as scope:
        precision = _average_precision(tf.cast(top_k_predictions, tf.int64), labels)
        if weights is not None:
            weights = broadcast(tf.cast(weights, tf.float64), precision)
            precision = tf.multiply(precision, weights)
        with tf.name_scope(None, "max", (precision,)) as part:
            most = variable([], tf.float64, part)
            if weights is None:
                batch = tf.cast(tf.size(precision, name="batch_max"), tf.float64)
            else:
                batch = tf.reduce_sum(weights, name="batch_max")
            most_update = tf.assign_add(most, batch, name="update")
        with tf.name_scope(None, "total", (precision,)) as part:
            total = variable([], tf.float64, part)
            total_update = tf.assign_add(total, tf.reduce_sum(precision), name="update")
        return collect(
            tf.div_no_nan(total, most, name="mean"),
            tf.div_no_nan(total_update, most_update, name=scope),
            metrics_collections,
            updates_collections,
        )


def _average_precision(ids: Any, labels: Any) -> Any:
    """The average precision of each row (…): ids (…, k)."""
    k = ids.shape.as_list()[-1] if ids.shape.rank else None
    if k is None:
        raise ValueError(f"top_k_predictions must be (…, k) with a known k. Received: {ids.shape}")
    if isinstance(labels, tf.SparseTensor):
        relevant = tf.sets.size(labels)
        labels = tf.sparse.to_dense(labels, default_value=-1, validate_indices=False)
        if labels.shape.rank is not None and labels.shape.rank == ids.shape.rank - 1:
            labels = tf.expand_dims(labels, -1)
            relevant = tf.ones_like(labels[..., 0], tf.int32)
    else:
        labels = tf.convert_to_tensor(labels)
        if labels.shape.rank is not None and labels.shape.rank == ids.shape.rank - 1:
            labels = tf.expand_dims(labels, -1)
        relevant = tf.reduce_sum(tf.cast(labels >= 0, tf.int32), -1)
    labels = tf.cast(labels, tf.int64)
    hit = tf.reduce_any(tf.equal(ids[..., tf.newaxis], labels[..., tf.newaxis, :]), -1)
    hit = tf.cast(hit, tf.float64)
    precision = tf.cumsum(hit, axis=-1) / tf.range(1.0, k + 1.0, dtype=tf.float64)
    return tf.reduce_sum(precision * hit, -1) / tf.cast(tf.minimum(relevant, k), tf.float64)
