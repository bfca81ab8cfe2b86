"""contrib.learn's heads for support vectors, several labels, several heads, and losses alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn._heads import (
    Head,
    as_wide,
    class_means,
    exported_classes,
    no_op_train_fn,
)
from migrate.estimator_shim.contrib.learn.constants import PredictionKey, ProblemType
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps


class BinarySvmHead(Head):
    """See `binary_svm_head`."""

    _scope = "binary_svm_head"
    _problem = ProblemType.LOGISTIC_REGRESSION

    def _checked_labels(self, labels: Any) -> Any:
        labels = super()._checked_labels(labels)
        return tf.expand_dims(labels, 1) if labels.shape.rank == 1 else labels

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        return tf.losses.hinge_loss(
            labels=labels, logits=logits, reduction=tf.losses.Reduction.NONE
        )

    def _predictions(self, logits: Any) -> dict[str, Any]:
        two = tf.concat([tf.zeros_like(logits), logits], 1)
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: tf.argmax(two, 1)}

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        ids = predictions[PredictionKey.CLASSES][:, None]
        w = None if weights is None else as_wide(weights, tf.cast(labels, tf.float32))
        return {"accuracy": tf.metrics.accuracy(labels, ids, w)}


class _MultiLabelHead(Head):
    """See `multi_label_head`."""

    _scope = "multi_label_head"
    _problem = ProblemType.CLASSIFICATION

    def __init__(self, *args: Any, metric_class_ids: Sequence[int] | None) -> None:
        super().__init__(*args)
        self._class_ids = tuple(metric_class_ids or ())
        for i in self._class_ids:
            if not 0 <= i < self._dimension:
                raise ValueError(
                    f"metric_class_ids must be in [0, {self._dimension}). Received: {i!r}"
                )

    def _checked_labels(self, labels: Any) -> Any:
        if isinstance(labels, Mapping) and self._label_name in labels:
            labels = labels[self._label_name]
        if isinstance(labels, tf.SparseTensor):
            labels = tf.cast(tf.sparse.to_indicator(labels, self._dimension), tf.int64)
        return super()._checked_labels(labels)

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(labels, tf.float32)
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: tf.sigmoid(logits),
            PredictionKey.CLASSES: tf.cast(logits > 0, tf.int64),
        }

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        classes = predictions[PredictionKey.CLASSES]
        probabilities = predictions[PredictionKey.PROBABILITIES]
        truth = tf.cast(labels, tf.bool)
        w = None
        if weights is not None:
            w = as_wide(weights, probabilities) * tf.ones_like(probabilities)
        found: dict[str, Any] = {
            "accuracy": tf.metrics.accuracy(tf.cast(labels, tf.int64), classes, w),
            "auc": tf.metrics.auc(truth, probabilities, w),
            "auc_precision_recall": tf.metrics.auc(truth, probabilities, w, curve="PR"),
        }
        for i in self._class_ids:
            means = {
                "prediction": classes,
                "actual_label": labels,
                "probability": probabilities,
                "logits": predictions[PredictionKey.LOGITS],
            }
            found.update(class_means(means, w, i))
            own = None if w is None else w[:, i]
            for name, curve in (("auc", "ROC"), ("auc_precision_recall", "PR")):
                found[f"{name}/class{i}"] = tf.metrics.auc(
                    truth[:, i], probabilities[:, i], own, curve=curve
                )
        return found


class _LossOnlyHead(Head):
    """See `loss_only_head`."""

    def __init__(self, loss_fn: Callable[[], Any], head_name: str | None) -> None:
        super().__init__(0, None, None, False, head_name or "loss_only_head")
        self._make_loss = loss_fn

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """See `Head.create_model_fn_ops`; only mode, train_op_fn and scope matter."""
        del features, labels, logits, logits_input
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, {}, eval_metric_ops={})
        with tf.variable_scope(scope, default_name=self._head_name):
            loss = self._make_loss()
            loss = tf.add_n(loss) if isinstance(loss, list) else loss
            with tf.name_scope(""):
                tf.summary.scalar(self._key("loss"), tf.identity(loss))
            if mode != ModeKeys.TRAIN:
                return ModelFnOps(mode, {}, loss, eval_metric_ops={})
            if train_op_fn is None:
                raise ValueError("Training needs train_op_fn. Received: train_op_fn=None")
            return ModelFnOps(mode, {}, loss, train_op_fn(loss), eval_metric_ops={})


class _MultiHead(Head):
    """See `multi_head`."""

    def __init__(self, heads: Sequence[Head], loss_weights: Sequence[float] | None) -> None:
        unnamed = [head for head in heads if not head.head_name]
        if unnamed:
            raise ValueError(f"The heads of a multi_head need names. Received: {unnamed}")
        super().__init__(sum(h.logits_dimension for h in heads), None, None, False, None)
        self._heads, self._loss_weights = list(heads), loss_weights

    def _split(self, logits: Any) -> list[Any]:
        """The logits of each head."""
        if isinstance(logits, Mapping):
            return [logits.get(head.head_name) for head in self._heads]
        return list(tf.split(logits, [head.logits_dimension for head in self._heads], 1))

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        logits: Any = None,
        logits_input: Any = None,
        scope: Any = None,
    ) -> ModelFnOps:
        """What a model_fn of contrib.learn returns.

        Args:
          features: The features.
          mode: One of `ModeKeys`.
          labels: A dict by the heads' label names.
          train_op_fn: Makes the training operation of the merged loss; needed to train.
          logits: The logits of all heads side by side, or a dict by the heads' names.
          logits_input: In place of logits: what dense layers make logits of.
          scope: A variable scope, for all heads.

        Returns:
          `ModelFnOps`. Predictions have keys (head's name, key), metrics the head's name at their
          end.

        Raises:
          ValueError: As for `Head`.
        """
        if (logits is None) == (logits_input is None):
            raise ValueError("Give logits or logits_input. Received: both or neither")
        parts = [None] * len(self._heads) if logits is None else self._split(logits)
        all_ops = [
            head.create_model_fn_ops(
                features, mode, labels, no_op_train_fn, part, logits_input, scope
            )
            for head, part in zip(self._heads, parts, strict=True)
        ]
        predictions = {
            (head.head_name, key): value
            for head, ops in zip(self._heads, all_ops, strict=True)
            for key, value in (ops.predictions or {}).items()
        }
        if mode == ModeKeys.INFER:
            alternatives = {
                name: value
                for ops in all_ops
                for name, value in (ops.output_alternatives or {}).items()
            }
            return ModelFnOps(mode, predictions, output_alternatives=alternatives)
        losses = [ops.loss for ops in all_ops]
        if self._loss_weights:
            losses = [tf.multiply(x, w) for x, w in zip(losses, self._loss_weights, strict=True)]
        loss = tf.add_n(losses)
        if mode == ModeKeys.EVAL:
            metrics = {k: v for ops in all_ops for k, v in (ops.eval_metric_ops or {}).items()}
            return ModelFnOps(mode, predictions, loss, eval_metric_ops=metrics)
        if train_op_fn is None:
            raise ValueError("Training needs train_op_fn. Received: train_op_fn=None")
        train_op = tf.group(train_op_fn(loss), *(ops.train_op for ops in all_ops))
        return ModelFnOps(mode, loss=loss, train_op=train_op)


def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
) -> Head:
    """A head for two classes with the hinge loss.

    Args:
      label_name: The label's key, if labels are a dict.
      weight_column_name: The feature by which losses are multiplied.
      enable_centered_bias: Whether to learn a bias by itself.
      head_name: Ends the names of metrics and summaries.
      thresholds: Changes nothing, as in TF1: there are no probabilities.

    Returns:
      The head.
    """
    del thresholds
    return BinarySvmHead(1, label_name, weight_column_name, enable_centered_bias, head_name)


def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
) -> Head:
    """A head for classes of which several may be true.

    Args:
      n_classes: The number of classes, at least 2.
      label_name: The label's key, if labels are a dict.
      weight_column_name: The feature by which losses are multiplied.
      enable_centered_bias: Whether to learn a bias by itself.
      head_name: Ends the names of metrics and summaries.
      thresholds: Changes nothing, as in TF1: classes are those with logits above 0.
      metric_class_ids: Classes that get metrics of their own.
      loss_fn: A function of labels and logits that returns the losses.

    Returns:
      The head. Labels are indicators [batch_size, n_classes], or a SparseTensor of class ids.

    Raises:
      ValueError: If n_classes is less than 2, or a metric_class_id is no class.
    """
    del thresholds
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be at least 2. Received: {n_classes!r}")
    return _MultiLabelHead(
        n_classes, label_name, weight_column_name, enable_centered_bias, head_name, loss_fn,
        metric_class_ids=metric_class_ids,
    )  # fmt: skip


def loss_only_head(loss_fn: Callable[[], Any], head_name: str | None = None) -> Head:
    """A head without logits, for a loss such as a regularization, in a `multi_head`.

    Args:
      loss_fn: A function that returns a loss, or a list of losses.
      head_name: Ends the name of the summary; "loss_only_head" by default.

    Returns:
      The head.
    """
    return _LossOnlyHead(loss_fn, head_name)


def multi_head(heads: Sequence[Head], loss_weights: Sequence[float] | None = None) -> Head:
    """Several heads as one, whose losses are added.

    Args:
      heads: Heads with names.
      loss_weights: By which the losses are multiplied; None for 1.

    Returns:
      The head.

    Raises:
      ValueError: If a head has no name, or there are not as many loss_weights as heads.
    """
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError(
            f"loss_weights must be one for each of the {len(heads)} heads. "
            f"Received: {loss_weights!r}"
        )
    return _MultiHead(heads, loss_weights)
