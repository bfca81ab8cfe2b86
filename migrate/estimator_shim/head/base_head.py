"""`Head`: what turns logits and labels into an EstimatorSpec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.metric_keys import MetricKeys
from migrate.estimator_shim.head import _checks, _metrics
from migrate.estimator_shim.head._core import Core, Kind, Unreduced, checked_keys
from migrate.estimator_shim.mode_keys import ALL, ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["Head"]

SUM_OVER_BATCH_SIZE = "sum_over_batch_size"


class Head(Core):
    """The top of a model: loss, metrics, predictions and export signatures of its logits.

    A model_fn computes logits and leaves the rest to a head::

        def model_fn(features, labels, mode):
            logits = build(features)
            head = estimator.MultiClassHead(n_classes=3)
            return head.create_estimator_spec(
                features, mode, logits, labels=labels,
                optimizer=tf.compat.v1.train.AdagradOptimizer(0.1),
                trainable_variables=tf.compat.v1.trainable_variables())

    Its subclasses are `BinaryClassHead`, `MultiClassHead`, `MultiLabelHead`, `RegressionHead`,
    `PoissonRegressionHead`, `LogisticRegressionHead` and `MultiHead`.
    """

    _reduction = SUM_OVER_BATCH_SIZE

    @property
    def loss_reduction(self) -> str:
        """How the losses of examples become one number."""
        return self._reduction

    def _weighted(self, unreduced: Unreduced) -> Any:
        """One number: the sum, or the sum by the number of elements."""
        loss = tf.reduce_sum(unreduced.loss * unreduced.weights)
        if self._reduction == "sum":
            return loss
        return tf.math.divide_no_nan(loss, tf.cast(tf.size(unreduced.loss), tf.float32))

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Iterable[Any] | None = None,
    ) -> Any:
        """The loss to train with.

        Args:
          labels: The labels, [batch_size, ..., 1] or as the head says.
          logits: The logits, float [batch_size, ..., logits_dimension].
          features: The features; needed for a weight_column.
          mode: The mode; it does not change the loss.
          regularization_losses: Losses to add, after weights and reduction.

        Returns:
          A scalar.

        Raises:
          ValueError: If labels or logits are missing or have a wrong shape.
          InvalidArgumentError: If labels are out of range (when it runs).
        """
        del mode
        loss = self._weighted(self._unreduced(features, logits, labels))
        if regularization_losses:
            loss = loss + tf.add_n(list(regularization_losses))
        return loss

    def predictions(self, logits: Any, keys: Iterable[str] | None = None) -> dict[Any, Any]:
        """Predictions of logits.

        Args:
          logits: The logits, float [batch_size, ..., logits_dimension].
          keys: Which predictions; None for all.

        Returns:
          Key -> tensor.

        Raises:
          ValueError: If a key is unknown.
        """
        found = self._all_predictions(logits)
        return {k: found[k] for k in checked_keys(keys, found)}

    def metrics(self, regularization_losses: Iterable[Any] | None = None) -> dict[str, Any]:
        """New metric objects.

        Args:
          regularization_losses: Whether there are any; then their mean is a metric too.

        Returns:
          Name -> metric, with ``update_state``, ``result`` and, in graphs, ``updates``.
        """
        found: dict[str, Any] = {}
        for key, kind in self._metric_kinds().items():
            name = self._key(key)
            label_mean = found.get(self._key(MetricKeys.LABEL_MEAN))
            found[name] = _make_metric(name, kind, label_mean)
        if regularization_losses is not None:
            name = self._key(MetricKeys.LOSS_REGULARIZATION)
            found[name] = _metrics.Mean(name)
        return found

    def update_metrics(
        self,
        eval_metrics: Mapping[str, Any],
        features: Any,
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: Iterable[Any] | None = None,
    ) -> Mapping[str, Any]:
        """Adds a batch to metric objects.

        Args:
          eval_metrics: What `metrics` returned.
          features: The features.
          logits: The logits.
          labels: The labels.
          mode: The mode; it changes nothing.
          regularization_losses: As for `metrics`.

        Returns:
          ``eval_metrics``.
        """
        del mode
        unreduced = self._unreduced(features, logits, labels)
        predictions = self._all_predictions(logits)
        self._update(eval_metrics, unreduced, predictions)
        if regularization_losses is not None:
            key = self._key(MetricKeys.LOSS_REGULARIZATION)
            eval_metrics[key].update_state(tf.add_n(list(regularization_losses)))
        return eval_metrics

    def _update(self, metrics: Mapping[str, Any], unreduced: Unreduced, predictions: Any) -> None:
        weights = unreduced.weights
        metrics[self._key(MetricKeys.LOSS_MEAN)].update_state(unreduced.loss, sample_weight=weights)
        values = self._metric_values(unreduced.labels, predictions)
        for key, args in values.items():
            metric = metrics[self._key(key)]
            if isinstance(metric, _metrics.AccuracyBaseline):
                metric.update_state()
            else:
                metric.update_state(*args, sample_weight=weights)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        update_ops: Iterable[Any] | None = None,
        regularization_losses: Iterable[Any] | None = None,
    ) -> EstimatorSpec:
        """What a model_fn returns.

        Args:
          features: The features; needed for a weight_column.
          mode: One of `ModeKeys`.
          logits: The logits, float [batch_size, ..., logits_dimension].
          labels: The labels; needed to train and to evaluate.
          optimizer: Minimises the loss: a ``tf.compat.v1.train.Optimizer``. (TF 1.15 takes a Keras
            optimizer here; Keras 3's do not work in a session.)
          trainable_variables: What the optimizer changes; None for all trainable variables.
          train_op_fn: Makes the training operation of the loss, in place of an optimizer.
          update_ops: Operations to run with each step, such as the moving averages of batch
            normalization.
          regularization_losses: Losses to add, after weights and reduction.

        Returns:
          The `EstimatorSpec`.

        Raises:
          ValueError: If the mode is unknown, or training has neither or both of optimizer and
            train_op_fn.
        """
        if mode not in ALL:
            raise ValueError(f"mode must be one of {', '.join(ALL)}. Received: {mode!r}")
        with tf.name_scope(self._name or "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(
                    mode, predictions=predictions, export_outputs=self._exports(predictions)
                )
            losses = list(regularization_losses) if regularization_losses else None
            loss = self.loss(labels, logits, features, mode, losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(losses)
                self.update_metrics(metrics, features, logits, labels, regularization_losses=losses)
                pairs = {k: (m.result(), m.updates[-1]) for k, m in metrics.items()}
                return EstimatorSpec(
                    mode, predictions=predictions, loss=loss, eval_metric_ops=pairs
                )
            train_op = make_train_op(loss, optimizer, train_op_fn, trainable_variables, update_ops)
        self._summaries(loss, losses)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _summaries(self, loss: Any, regularization_losses: list[Any] | None) -> None:
        with tf.name_scope(""):
            tf.summary.scalar(self._key(MetricKeys.LOSS), loss)
            if regularization_losses:
                key = self._key(MetricKeys.LOSS_REGULARIZATION)
                tf.summary.scalar(key, tf.add_n(regularization_losses))


def make_train_op(
    loss: Any,
    optimizer: Any,
    train_op_fn: Callable[[Any], Any] | None,
    variables: Any = None,
    update_ops: Iterable[Any] | None = None,
) -> Any:
    """The operation that makes one step.

    Args:
      loss: What to minimise.
      optimizer: A ``tf.compat.v1.train.Optimizer``, or None.
      train_op_fn: A function of the loss, or None.
      variables: What the optimizer changes; None for all trainable variables.
      update_ops: Operations to run besides.

    Returns:
      The operation.

    Raises:
      ValueError: If neither or both of optimizer and train_op_fn are given, or the optimizer is
        no optimizer of TF1.
    """
    if (optimizer is None) == (train_op_fn is None):
        raise ValueError(
            "Training needs either optimizer or train_op_fn. "
            f"Received: optimizer={optimizer!r}, train_op_fn={train_op_fn!r}"
        )
    if train_op_fn is not None:
        train_op = train_op_fn(loss)
    else:
        if not hasattr(optimizer, "minimize") or _is_keras(optimizer):
            raise ValueError(
                "optimizer must be a tf.compat.v1.train.Optimizer: Keras 3's keep their state "
                f"outside of a session. Received: {optimizer!r}"
            )
        step = tf.train.get_global_step()
        train_op = optimizer.minimize(loss, global_step=step, var_list=variables or None)
    ops = list(update_ops or ())
    return tf.group(train_op, *ops) if ops else train_op


def _is_keras(optimizer: Any) -> bool:
    return type(optimizer).__module__.startswith("keras") or hasattr(optimizer, "iterations")


def _make_metric(name: str, kind: Kind, label_mean: Any) -> _metrics.Metric:
    if kind.what == "mean":
        return _metrics.Mean(name)
    if kind.what == "accuracy":
        return _metrics.Accuracy(name, kind.threshold)
    if kind.what == "baseline":
        return _metrics.AccuracyBaseline(name, label_mean)
    if kind.what in ("precision", "recall"):
        made = _metrics.Precision if kind.what == "precision" else _metrics.Recall
        return made(name, 0.5 if kind.threshold is None else kind.threshold)
    return _metrics.AUC(name, "ROC" if kind.what == "auc" else "PR")


def check_reduction(reduction: str) -> str:
    """The reduction of a head of tf.estimator; "auto" is the usual one."""
    reduction = _checks.check_reduction(reduction, _checks.REDUCTIONS_V2)
    return SUM_OVER_BATCH_SIZE if reduction == "auto" else reduction
