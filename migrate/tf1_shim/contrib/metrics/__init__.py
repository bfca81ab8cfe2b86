"""``tf.contrib.metrics``: streaming metrics, predictions first, and what they are made of."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.metrics._accumulated import (
    auc_with_confidence_intervals,
    streaming_concat,
    streaming_dynamic_auc,
)
from migrate.tf1_shim.contrib.metrics._at_k import (
    sparse_recall_at_top_k,
    streaming_recall_at_k,
    streaming_sparse_average_precision_at_k,
    streaming_sparse_precision_at_k,
    streaming_sparse_precision_at_top_k,
    streaming_sparse_recall_at_k,
)
from migrate.tf1_shim.contrib.metrics._decisions import (
    streaming_accuracy,
    streaming_auc,
    streaming_false_negatives,
    streaming_false_positives,
    streaming_precision,
    streaming_precision_at_thresholds,
    streaming_recall,
    streaming_recall_at_thresholds,
    streaming_sensitivity_at_specificity,
    streaming_specificity_at_sensitivity,
    streaming_true_negatives,
    streaming_true_positives,
)
from migrate.tf1_shim.contrib.metrics._means import (
    streaming_mean,
    streaming_mean_absolute_error,
    streaming_mean_iou,
    streaming_mean_relative_error,
    streaming_mean_squared_error,
    streaming_mean_tensor,
    streaming_percentage_less,
    streaming_root_mean_squared_error,
)
from migrate.tf1_shim.contrib.metrics._moments import (
    cohen_kappa,
    count,
    streaming_covariance,
    streaming_mean_cosine_distance,
    streaming_pearson_correlation,
    streaming_sparse_average_precision_at_top_k,
)
from migrate.tf1_shim.contrib.metrics._plain import (
    accuracy,
    aggregate_metric_map,
    aggregate_metrics,
    auc_using_histogram,
    confusion_matrix,
)
from migrate.tf1_shim.contrib.metrics._thresholds import (
    f1_score,
    precision_at_recall,
    precision_recall_at_equal_thresholds,
    recall_at_precision,
    streaming_curve_points,
    streaming_false_negative_rate,
    streaming_false_negative_rate_at_thresholds,
    streaming_false_negatives_at_thresholds,
    streaming_false_positive_rate,
    streaming_false_positive_rate_at_thresholds,
    streaming_false_positives_at_thresholds,
    streaming_true_negatives_at_thresholds,
    streaming_true_positives_at_thresholds,
)

__all__ = [
    "accuracy",
    "aggregate_metric_map",
    "aggregate_metrics",
    "auc_using_histogram",
    "auc_with_confidence_intervals",
    "cohen_kappa",
    "confusion_matrix",
    "count",
    "f1_score",
    "precision_at_recall",
    "precision_recall_at_equal_thresholds",
    "recall_at_precision",
    "set_difference",
    "set_intersection",
    "set_size",
    "set_union",
    "sparse_recall_at_top_k",
    "streaming_accuracy",
    "streaming_auc",
    "streaming_concat",
    "streaming_covariance",
    "streaming_curve_points",
    "streaming_dynamic_auc",
    "streaming_false_negative_rate",
    "streaming_false_negative_rate_at_thresholds",
    "streaming_false_negatives",
    "streaming_false_negatives_at_thresholds",
    "streaming_false_positive_rate",
    "streaming_false_positive_rate_at_thresholds",
    "streaming_false_positives",
    "streaming_false_positives_at_thresholds",
    "streaming_mean",
    "streaming_mean_absolute_error",
    "streaming_mean_cosine_distance",
    "streaming_mean_iou",
    "streaming_mean_relative_error",
    "streaming_mean_squared_error",
    "streaming_mean_tensor",
    "streaming_pearson_correlation",
    "streaming_percentage_less",
    "streaming_precision",
    "streaming_precision_at_thresholds",
    "streaming_recall",
    "streaming_recall_at_k",
    "streaming_recall_at_thresholds",
    "streaming_root_mean_squared_error",
    "streaming_sensitivity_at_specificity",
    "streaming_sparse_average_precision_at_k",
    "streaming_sparse_average_precision_at_top_k",
    "streaming_sparse_precision_at_k",
    "streaming_sparse_precision_at_top_k",
    "streaming_sparse_recall_at_k",
    "streaming_specificity_at_sensitivity",
    "streaming_true_negatives",
    "streaming_true_negatives_at_thresholds",
    "streaming_true_positives",
    "streaming_true_positives_at_thresholds",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.metrics")

set_difference = tf.sets.set_difference
set_intersection = tf.sets.set_intersection
set_size = tf.sets.set_size
set_union = tf.sets.set_union
