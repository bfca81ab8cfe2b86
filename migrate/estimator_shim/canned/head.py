"""The heads of TF1's canned Estimators and of contrib.estimator.

They differ from those of `migrate.estimator_shim.head` in that metrics are pairs of
``tf.compat.v1.metrics``, reductions are those of ``tf.compat.v1.losses`` (the sum by default), and
optimizers are those of TF1. `contrib.estimator.binary_classification_head` and its sisters make
them; programs also called the functions with an underscore below, which are therefore here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.metric_keys import MetricKeys
from migrate.estimator_shim.head import _checks
from migrate.estimator_shim.head._core import (
    BinaryCore,
    Core,
    Kind,
    LogisticCore,
    MultiClassCore,
    MultiLabelCore,
    PoissonCore,
    RegressionCore,
)
from migrate.estimator_shim.head.base_head import make_train_op
from migrate.estimator_shim.mode_keys import ALL, ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

# Programs call the functions that were never made public.
__all__ = [
    "LossSpec",
    "_Head",
    "_binary_logistic_head_with_sigmoid_cross_entropy_loss",
    "_multi_class_head_with_softmax_cross_entropy_loss",
    "_regression_head",
    "_regression_head_with_mean_squared_error_loss",
]

_SUM = tf.losses.Reduction.SUM


class LossSpec(NamedTuple):
    """What `create_loss` of a head returns."""

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class HeadV1(Core):
    """A head as TF1's canned Estimators call it.

    Predictions, metrics' names and export signatures are those of the head of the same kind in
    `migrate.estimator_shim.head`.
    """

    _reduction: str = _SUM

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """The loss of labels and logits.

        Args:
          features: The features; needed for a weight_column.
          mode: One of `ModeKeys`; it does not change the loss.
          logits: The logits, float [batch_size, ..., logits_dimension].
          labels: The labels.

        Returns:
          A `LossSpec`: the reduced loss, that of each example, the weights, and the labels as the
          loss takes them.

        Raises:
          ValueError: If labels or logits are missing or have a wrong shape.
        """
        del mode
        unreduced = self._unreduced(features, logits, labels)
        loss = tf.losses.compute_weighted_loss(
            unreduced.loss, weights=unreduced.weights, reduction=self._reduction
        )
        return LossSpec(loss, unreduced.loss, unreduced.weights, unreduced.labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Iterable[Any] | None = None,
    ) -> EstimatorSpec:
        """What a model_fn returns.

        Args:
          features: The features; needed for a weight_column.
          mode: One of `ModeKeys`.
          logits: The logits, float [batch_size, ..., logits_dimension].
          labels: The labels; needed to train and to evaluate.
          optimizer: A ``tf.compat.v1.train.Optimizer`` that minimises the loss.
          train_op_fn: Makes the training operation of the loss, in place of an optimizer.
          regularization_losses: Losses to add, after weights and reduction.

        Returns:
          The `EstimatorSpec`. Its train_op also runs the graph's ``UPDATE_OPS``.

        Raises:
          ValueError: If the mode is unknown, or training has neither or both of optimizer and
            train_op_fn.
        """
        if mode not in ALL:
            raise ValueError(f"mode must be one of {', '.join(ALL)}. Received: {mode!r}")
        with tf.name_scope(self._name or "head"):
            predictions = self._all_predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode, predictions=predictions, export_outputs=self._exports(predictions)
                )
            spec = self.create_loss(features, mode, logits, labels)
            extra = tf.add_n(list(regularization_losses)) if regularization_losses else None
            loss = spec.training_loss if extra is None else spec.training_loss + extra
            if mode == ModeKeys.EVAL:
                metrics = self._metric_pairs(spec, predictions, extra)
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=metrics
                )
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            train_op = make_train_op(loss, optimizer, train_op_fn, update_ops=updates)
            mean = self._mean_loss(spec)
        with tf.name_scope(""):
            tf.summary.scalar(self._key(MetricKeys.LOSS), loss)
            if mean is not None:
                tf.summary.scalar(self._key(MetricKeys.LOSS_MEAN), mean)
            if extra is not None:
                tf.summary.scalar(self._key(MetricKeys.LOSS_REGULARIZATION), extra)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _mean_loss(self, spec: LossSpec) -> Any:
        """The loss per example, which only the sum hides."""
        if self._reduction != _SUM:
            return None
        return spec.training_loss / tf.reduce_sum(spec.weights * tf.ones_like(spec.unreduced_loss))

    def _metric_pairs(self, spec: LossSpec, predictions: dict[str, Any], extra: Any) -> Any:
        values = self._metric_values(spec.processed_labels, predictions)
        values[MetricKeys.LOSS_MEAN] = (spec.unreduced_loss,)
        pairs: dict[str, Any] = {}
        with tf.name_scope("metrics"):
            for key, kind in self._metric_kinds().items():
                pairs[self._key(key)] = _metric_pair(kind, values[key], spec.weights, key)
            if extra is not None:
                key = MetricKeys.LOSS_REGULARIZATION
                pairs[self._key(key)] = tf.metrics.mean(extra, name=_scope(key))
        return pairs


def _scope(key: str) -> str:
    return key.replace(".", "_")


def _metric_pair(kind: Kind, values: tuple[Any, ...], weights: Any, key: str) -> tuple[Any, Any]:
    name = _scope(key)
    if kind.what in ("mean", "baseline"):
        value, update = tf.metrics.mean(values[0], weights=weights, name=name)
        if kind.what == "baseline":
            return tf.maximum(value, 1.0 - value), tf.maximum(update, 1.0 - update)
        return value, update
    labels, predictions = values
    weights = tf.broadcast_to(tf.cast(weights, tf.float32), tf.shape(labels))
    if kind.what == "accuracy":
        if kind.threshold is not None:
            predictions = tf.cast(predictions >= kind.threshold, tf.float32)
        predictions = tf.cast(predictions, labels.dtype)
        return _pair(tf.metrics.accuracy(labels, predictions, weights=weights, name=name))
    if kind.what in ("auc", "auc_pr"):
        return _pair(
            tf.metrics.auc(
                labels, predictions, weights=weights, name=name,
                curve="ROC" if kind.what == "auc" else "PR",
            )
        )  # fmt: skip
    which = tf.metrics.precision if kind.what == "precision" else tf.metrics.recall
    if kind.threshold is not None:
        predictions = predictions > kind.threshold
    return _pair(which(labels, predictions, weights=weights, name=name))


def _pair(value: Any) -> tuple[Any, Any]:
    first, second = value
    return first, second


def check_reduction(reduction: str) -> str:
    """The reduction of a v1 head."""
    return _checks.check_reduction(reduction, _checks.REDUCTIONS_V1)


#: Its name in TF1.
_Head = HeadV1


class BinaryLogisticHead(BinaryCore, HeadV1):
    """See `BinaryClassHead`."""

    _list_error = TypeError

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = _SUM,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._init(weight_column, thresholds, label_vocabulary, loss_fn, name)
        self._reduction = check_reduction(loss_reduction)


class MultiClassSoftmaxHead(MultiClassCore, HeadV1):
    """See `MultiClassHead`."""

    _count_names = False

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = _SUM,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._init(n_classes, weight_column, label_vocabulary, loss_fn, name)
        self._reduction = check_reduction(loss_reduction)


class MultiLabelSigmoidHead(MultiLabelCore, HeadV1):
    """See `MultiLabelHead`."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[Any] | None = None,
        loss_reduction: str = _SUM,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._init(
            n_classes, weight_column, thresholds, label_vocabulary, loss_fn,
            classes_for_class_based_metrics, name,
        )  # fmt: skip
        self._reduction = check_reduction(loss_reduction)


class RegressionHeadV1(RegressionCore, HeadV1):
    """See `RegressionHead`."""

    def __init__(
        self,
        weight_column: Any = None,
        label_dimension: int = 1,
        loss_reduction: str = _SUM,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[[Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._init(label_dimension, weight_column, loss_fn, inverse_link_fn, name)
        self._reduction = check_reduction(loss_reduction)


class PoissonHeadV1(PoissonCore, HeadV1):
    """See `PoissonRegressionHead`."""

    def __init__(
        self, weight_column: Any, label_dimension: int, loss_reduction: str,
        compute_full_loss: bool, name: str | None,
    ) -> None:  # fmt: skip
        self._init_poisson(label_dimension, weight_column, compute_full_loss, name)
        self._reduction = check_reduction(loss_reduction)


class LogisticHeadV1(LogisticCore, HeadV1):
    """See `LogisticRegressionHead`."""

    def __init__(self, weight_column: Any, loss_reduction: str, name: str | None) -> None:
        self._init_logistic(weight_column, name)
        self._reduction = check_reduction(loss_reduction)


def _binary_logistic_head_with_sigmoid_cross_entropy_loss(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Sequence[Any] | None = None,
    loss_reduction: str = _SUM,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> HeadV1:
    """The head of TF1's canned binary classifiers. See `BinaryClassHead` for the arguments."""
    return BinaryLogisticHead(
        weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn, name
    )


def _multi_class_head_with_softmax_cross_entropy_loss(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Sequence[Any] | None = None,
    loss_reduction: str = _SUM,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> HeadV1:
    """The head of TF1's canned multi-class classifiers. See `MultiClassHead`."""
    return MultiClassSoftmaxHead(
        n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name
    )


def _regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _SUM,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[[Any], Any] | None = None,
    name: str | None = None,
) -> HeadV1:
    """The head of TF1's canned regressors. See `RegressionHead`."""
    return RegressionHeadV1(
        weight_column, label_dimension, loss_reduction, loss_fn, inverse_link_fn, name
    )


_regression_head_with_mean_squared_error_loss = _regression_head


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> HeadV1:
    """The head of a canned classifier: for two classes or for more."""
    if n_classes == 2:
        return _binary_logistic_head_with_sigmoid_cross_entropy_loss(
            weight_column, None, label_vocabulary, loss_reduction
        )
    return _multi_class_head_with_softmax_cross_entropy_loss(
        n_classes, weight_column, label_vocabulary, loss_reduction
    )
