"""contrib.estimator's heads: functions that make the heads of TF1's canned Estimators.

They average over the batch by default ("weighted_sum_over_batch_size"), unlike the canned
Estimators' own, which add.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import head as heads

__all__ = [
    "binary_classification_head",
    "logistic_regression_head",
    "multi_class_head",
    "multi_label_head",
    "poisson_regression_head",
    "regression_head",
]

_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[Any] | None = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> heads.HeadV1:
    """A head for three or more classes that exclude each other. See `MultiClassHead`.

    Args:
      n_classes: At least 3.
      weight_column: The name of a feature, or a ``numeric_column``.
      label_vocabulary: The names of the classes, if labels are strings.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      loss_fn: Makes the unreduced loss [..., 1] of ``labels`` and ``logits``.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If an argument has a value that is not allowed.
    """
    return heads.MultiClassSoftmaxHead(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[Any] | None = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> heads.HeadV1:
    """A head for two classes by one logit. See `BinaryClassHead`.

    Args:
      weight_column: The name of a feature, or a ``numeric_column``.
      thresholds: Within (0, 1): where accuracy, precision and recall are measured too.
      label_vocabulary: The two names of the classes, if labels are strings.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      loss_fn: Makes the unreduced loss [..., 1] of ``labels`` and ``logits``.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If an argument has a value that is not allowed.
    """
    return heads.BinaryLogisticHead(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> heads.HeadV1:
    """A head for one or more targets, with the squared error. See `RegressionHead`.

    Args:
      weight_column: The name of a feature, or a ``numeric_column``.
      label_dimension: The number of targets.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      loss_fn: Makes the unreduced loss [..., label_dimension] of ``labels`` and ``logits``.
      inverse_link_fn: Makes predictions of logits.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If an argument has a value that is not allowed.
    """
    return heads.RegressionHeadV1(
        weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name
    )


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> heads.HeadV1:
    """A head for counts. See `PoissonRegressionHead`.

    Args:
      weight_column: The name of a feature, or a ``numeric_column``.
      label_dimension: The number of targets.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      compute_full_loss: Whether the loss has Stirling's approximation of ``log(labels!)``.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If an argument has a value that is not allowed.
    """
    return heads.PoissonHeadV1(
        weight_column, label_dimension, loss_reduction, compute_full_loss, name
    )


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = _MEAN, name: str | None = None
) -> heads.HeadV1:
    """A head for one target within [0, 1]. See `LogisticRegressionHead`.

    Args:
      weight_column: The name of a feature, or a ``numeric_column``.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If loss_reduction is not allowed.
    """
    return heads.LogisticHeadV1(weight_column, loss_reduction, name)


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[Any] | None = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    classes_for_class_based_metrics: Sequence[Any] | None = None,
    name: str | None = None,
) -> heads.HeadV1:
    """A head for classes of which an example may have any number. See `MultiLabelHead`.

    Args:
      n_classes: At least 2.
      weight_column: The name of a feature, or a ``numeric_column``.
      thresholds: Within (0, 1): where accuracy, precision and recall are measured.
      label_vocabulary: The names of the classes, if labels are strings.
      loss_reduction: One of ``tf.compat.v1.losses.Reduction``, but for NONE.
      loss_fn: Makes the unreduced loss [..., 1] of ``labels`` and ``logits``.
      classes_for_class_based_metrics: Ids or names of classes with metrics of their own.
      name: Ends the names of metrics and summaries.

    Returns:
      The head.

    Raises:
      ValueError: If an argument has a value that is not allowed.
    """
    return heads.MultiLabelSigmoidHead(
        n_classes, weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn,
        classes_for_class_based_metrics, name,
    )  # fmt: skip
