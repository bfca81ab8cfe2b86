"""What a head of either kind knows: its logits, labels, loss, predictions, metrics and exports.

The heads of tf.estimator (`base_head.Head`) and those of contrib.estimator and the canned v1 models
(`canned.head`) differ in how they are called and in how metrics keep their sums; the rest is here
and in the mix-ins of the modules beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned.metric_keys import MetricKeys
from migrate.estimator_shim.canned.prediction_keys import PredictionKeys
from migrate.estimator_shim.export.export_output import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from migrate.estimator_shim.head import _checks

SERVING = "serving_default"
CLASSIFY, REGRESS, PREDICT = "classification", "regression", "predict"


class Unreduced(NamedTuple):
    """The loss of each example, before weights."""

    loss: Any
    weights: Any
    labels: Any


class Kind(NamedTuple):
    """What a metric computes: mean, accuracy, precision, recall, auc, auc_pr or baseline."""

    what: str
    threshold: float | None = None


class Core:
    """The part of a head that does not hang on TF1's or TF2's way of calling it."""

    _name: str | None = None
    _weight_column: Any = None
    _loss_fn: Any = None
    # The heads differ in their errors for names that are no list and labels of a wrong type.
    _list_error: type[Exception] = ValueError
    _label_error: type[Exception] = ValueError

    @property
    def name(self) -> str | None:
        """The head's name, which ends the names of its metrics and summaries."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        raise NotImplementedError(f"{type(self).__name__}.logits_dimension")

    def _key(self, key: str) -> str:
        return f"{key}/{self._name}" if self._name else key

    def _labels(self, labels: Any, logits: Any) -> Any:
        """Labels as the loss takes them."""
        raise NotImplementedError(f"{type(self).__name__}._labels")

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        """The loss of each example (and target), from checked labels and logits."""
        raise NotImplementedError(f"{type(self).__name__}._example_loss")

    def _predictions(self, logits: Any) -> dict[str, Any]:
        """All predictions, from checked logits."""
        raise NotImplementedError(f"{type(self).__name__}._predictions")

    def _signatures(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        """The export outputs but for "predict" and the default one; the first becomes that."""
        raise NotImplementedError(f"{type(self).__name__}._signatures")

    def _metric_kinds(self) -> dict[str, Kind]:
        """Metric key (without the head's name) -> what it computes."""
        raise NotImplementedError(f"{type(self).__name__}._metric_kinds")

    def _metric_values(self, labels: Any, predictions: dict[str, Any]) -> dict[str, Any]:
        """Metric key -> (values,) or (labels, predictions), but for the mean loss."""
        raise NotImplementedError(f"{type(self).__name__}._metric_values")

    def _unreduced(self, features: Any, logits: Any, labels: Any) -> Unreduced:
        logits = _checks.check_logits(logits, self.logits_dimension)
        labels = self._labels(labels, logits)
        loss = self._example_loss(labels, logits, features)
        return Unreduced(loss, _checks.weights_of(features, self._weight_column, logits), labels)

    def _all_predictions(self, logits: Any) -> dict[str, Any]:
        with tf.name_scope("predictions"):
            return self._predictions(_checks.check_logits(logits, self.logits_dimension))

    def _exports(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        outputs = self._signatures(predictions)
        first = next(iter(outputs.values()))
        return {SERVING: first, **outputs, PREDICT: PredictOutput(predictions)}


def checked_keys(keys: Iterable[Any] | None, valid: Iterable[Any]) -> list[Any]:
    """The keys of predictions that a caller wants.

    Args:
      keys: The keys; None for all.
      valid: The keys that there are.

    Returns:
      The keys as a list.

    Raises:
      ValueError: If one is unknown.
    """
    valid = list(valid)
    if keys is None:
        return valid
    for key in keys:
        if key not in valid:
            raise ValueError(f"keys must be among {valid}. Received: {key!r}")
    return list(keys)


class ClassesMixin:
    """What binary and multi-class heads share."""

    _classes: int
    _vocabulary: Any
    _label_error: type[Exception]

    def _class_labels(self, labels: Any, logits: Any) -> Any:
        """Ids of the classes, [..., 1]."""
        labels = _checks.dense_labels(labels, logits, 1)
        if self._vocabulary is not None:
            labels = _checks.lookup_ids(labels, self._vocabulary, self._label_error)
        return labels

    def _class_predictions(self, logits: Any) -> dict[str, Any]:
        """The classes' predictions, from logits of all classes."""
        keys = PredictionKeys
        ids = tf.expand_dims(tf.argmax(logits, -1), -1)
        return {
            keys.CLASS_IDS: ids,
            keys.CLASSES: _checks.class_names(ids, self._vocabulary),
            keys.ALL_CLASS_IDS: _checks.all_ids(logits, self._classes),
            keys.ALL_CLASSES: _checks.all_names(logits, self._classes, self._vocabulary),
        }

    def _classification(self, predictions: dict[str, Any]) -> ClassificationOutput:
        scores = predictions[PredictionKeys.PROBABILITIES]
        return ClassificationOutput(
            scores=scores, classes=_checks.all_names(scores, self._classes, self._vocabulary)
        )


class BinaryCore(ClassesMixin, Core):
    """Two classes, one logit, sigmoid cross entropy."""

    _classes = 2
    _thresholds: tuple[float, ...] = ()

    def _init(
        self, weight_column: Any, thresholds: Any, vocabulary: Any, loss_fn: Any, name: str | None
    ) -> None:
        self._weight_column = weight_column
        self._thresholds = _checks.check_thresholds(thresholds)
        self._vocabulary = _checks.check_vocabulary(vocabulary, 2, self._list_error)
        self._loss_fn = _checks.check_loss_fn(loss_fn)
        self._name = name

    @property
    def logits_dimension(self) -> int:
        """1."""
        return 1

    def _labels(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(self._class_labels(labels, logits), tf.float32)
        return _checks.in_range(labels, 2, "labels")

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        if self._loss_fn is not None:
            return _checks.call_loss_fn(self._loss_fn, labels, logits, features, 1)
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        keys = PredictionKeys
        two = tf.concat([tf.zeros_like(logits), logits], -1)
        return {
            keys.LOGITS: logits,
            keys.LOGISTIC: tf.sigmoid(logits, name=keys.LOGISTIC),
            keys.PROBABILITIES: tf.nn.softmax(two, name=keys.PROBABILITIES),
            **self._class_predictions(two),
        }

    def _signatures(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        return {
            CLASSIFY: self._classification(predictions),
            REGRESS: RegressionOutput(predictions[PredictionKeys.LOGISTIC]),
        }

    def _metric_kinds(self) -> dict[str, Kind]:
        keys = MetricKeys
        kinds = {
            keys.LOSS_MEAN: Kind("mean"),
            keys.ACCURACY: Kind("accuracy"),
            keys.PRECISION: Kind("precision"),
            keys.RECALL: Kind("recall"),
            keys.PREDICTION_MEAN: Kind("mean"),
            keys.LABEL_MEAN: Kind("mean"),
            keys.ACCURACY_BASELINE: Kind("baseline"),
            keys.AUC: Kind("auc"),
            keys.AUC_PR: Kind("auc_pr"),
        }
        kinds.update(_threshold_kinds(self._thresholds))
        return kinds

    def _metric_values(self, labels: Any, predictions: dict[str, Any]) -> dict[str, Any]:
        keys = MetricKeys
        logistic = predictions[PredictionKeys.LOGISTIC]
        ids = predictions[PredictionKeys.CLASS_IDS]
        values = {
            keys.ACCURACY: (labels, ids),
            keys.PRECISION: (labels, ids),
            keys.RECALL: (labels, ids),
            keys.PREDICTION_MEAN: (logistic,),
            keys.LABEL_MEAN: (labels,),
            keys.ACCURACY_BASELINE: (labels,),
            keys.AUC: (labels, logistic),
            keys.AUC_PR: (labels, logistic),
        }
        values.update(dict.fromkeys(_threshold_kinds(self._thresholds), (labels, logistic)))
        return values


def _threshold_kinds(thresholds: Iterable[float]) -> dict[str, Kind]:
    keys = MetricKeys
    kinds = {}
    for t in thresholds:
        kinds[keys.ACCURACY_AT_THRESHOLD % t] = Kind("accuracy", t)
        kinds[keys.PRECISION_AT_THRESHOLD % t] = Kind("precision", t)
        kinds[keys.RECALL_AT_THRESHOLD % t] = Kind("recall", t)
    return kinds


class MultiClassCore(ClassesMixin, Core):
    """Exclusive classes, softmax cross entropy."""

    _count_names = True

    def _init(
        self, classes: Any, weight_column: Any, vocabulary: Any, loss_fn: Any, name: str | None
    ) -> None:
        _checks.check_at_least(3, n_classes=classes)
        self._classes = classes
        self._weight_column = weight_column
        self._vocabulary = _checks.check_vocabulary(
            vocabulary, classes if self._count_names else None, self._list_error
        )
        self._loss_fn = _checks.check_loss_fn(loss_fn)
        self._name = name

    @property
    def logits_dimension(self) -> int:
        """The number of classes."""
        return self._classes

    def _labels(self, labels: Any, logits: Any) -> Any:
        labels = self._class_labels(labels, logits)
        if not labels.dtype.is_integer:
            raise ValueError(
                "labels must be integers, or strings with a label_vocabulary. "
                f"Received: labels of type {labels.dtype.name}"
            )
        return _checks.in_range(labels, self._classes, "labels")

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        if self._loss_fn is not None:
            return _checks.call_loss_fn(self._loss_fn, labels, logits, features, 1)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=tf.squeeze(labels, [-1]), logits=logits
        )
        return tf.expand_dims(loss, -1)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        keys = PredictionKeys
        return {
            keys.LOGITS: logits,
            keys.PROBABILITIES: tf.nn.softmax(logits, name=keys.PROBABILITIES),
            **self._class_predictions(logits),
        }

    def _signatures(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        return {CLASSIFY: self._classification(predictions)}

    def _metric_kinds(self) -> dict[str, Kind]:
        return {MetricKeys.LOSS_MEAN: Kind("mean"), MetricKeys.ACCURACY: Kind("accuracy")}

    def _metric_values(self, labels: Any, predictions: dict[str, Any]) -> dict[str, Any]:
        return {MetricKeys.ACCURACY: (labels, predictions[PredictionKeys.CLASS_IDS])}


class MultiLabelCore(Core):
    """Classes that do not exclude each other, sigmoid cross entropy."""

    def _init(
        self,
        classes: Any,
        weight_column: Any,
        thresholds: Any,
        vocabulary: Any,
        loss_fn: Any,
        watched: Any,
        name: str | None,
    ) -> None:
        _checks.check_at_least(2, n_classes=classes)
        self._classes: int = classes
        self._weight_column = weight_column
        self._thresholds = _checks.check_thresholds(thresholds)
        self._vocabulary = _checks.check_vocabulary(vocabulary, classes)
        self._loss_fn = _checks.check_loss_fn(loss_fn)
        self._watched = [self._class_id(c) for c in watched or ()]
        self._name = name

    def _class_id(self, which: Any) -> int:
        if isinstance(which, str):
            if self._vocabulary is None or which not in self._vocabulary:
                raise ValueError(
                    "classes_for_class_based_metrics must be names of the label_vocabulary. "
                    f"Received: {which!r} with label_vocabulary={self._vocabulary!r}"
                )
            return list(self._vocabulary).index(which)
        if not 0 <= which < self._classes:
            raise ValueError(
                f"classes_for_class_based_metrics must be within [0, {self._classes}). "
                f"Received: {which!r}"
            )
        return int(which)

    @property
    def logits_dimension(self) -> int:
        """The number of classes."""
        return self._classes

    def _labels(self, labels: Any, logits: Any) -> Any:
        if labels is None:
            raise ValueError("The head needs labels in training and evaluation. Received: None")
        if isinstance(labels, (tf.SparseTensor, tf.SparseTensorValue)):
            labels = tf.SparseTensor.from_value(labels)
            values = labels.values
            if self._vocabulary is not None:
                values = _checks.lookup_ids(values, self._vocabulary, self._label_error)
            values = _checks.in_range(values, self._classes, "labels")
            ids = tf.SparseTensor(labels.indices, values, labels.dense_shape)
            labels = tf.cast(tf.sparse.to_indicator(ids, self._classes), tf.int64)
        else:
            labels = tf.convert_to_tensor(labels)
            if not labels.dtype.is_integer and not labels.dtype.is_floating:
                raise ValueError(
                    "Dense labels must be 0 or 1 for each class; give names as a SparseTensor. "
                    f"Received: {labels!r}"
                )
            labels = _checks.in_range(labels, 2, "labels")
        return tf.cast(_checks.dense_labels(labels, logits, self._classes), tf.float32)

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        if self._loss_fn is not None:
            return _checks.call_loss_fn(self._loss_fn, labels, logits, features, 1)
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        return tf.reduce_mean(loss, -1, keepdims=True)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        keys = PredictionKeys
        probabilities = tf.sigmoid(logits, name=keys.PROBABILITIES)
        return {keys.LOGITS: logits, keys.PROBABILITIES: probabilities}

    def _signatures(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        scores = predictions[PredictionKeys.PROBABILITIES]
        names = _checks.all_names(scores, self._classes, self._vocabulary)
        return {CLASSIFY: ClassificationOutput(scores=scores, classes=names)}

    def _class_keys(self, c: int) -> tuple[str, str, str]:
        """The keys of a class's mean, AUC and AUC of precision and recall."""
        keys = MetricKeys
        if self._vocabulary is None:
            return (
                keys.PROBABILITY_MEAN_AT_CLASS % c,
                keys.AUC_AT_CLASS % c,
                keys.AUC_PR_AT_CLASS % c,
            )
        name = self._vocabulary[c]
        return (
            keys.PROBABILITY_MEAN_AT_NAME % name,
            keys.AUC_AT_NAME % name,
            keys.AUC_PR_AT_NAME % name,
        )

    def _metric_kinds(self) -> dict[str, Kind]:
        keys = MetricKeys
        kinds = {keys.LOSS_MEAN: Kind("mean"), keys.AUC: Kind("auc"), keys.AUC_PR: Kind("auc_pr")}
        kinds.update(_threshold_kinds(self._thresholds))
        for c in self._watched:
            kinds.update(
                zip(self._class_keys(c), map(Kind, ("mean", "auc", "auc_pr")), strict=True)
            )
        return kinds

    def _metric_values(self, labels: Any, predictions: dict[str, Any]) -> dict[str, Any]:
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        pair = (labels, probabilities)
        values: dict[str, Any] = {MetricKeys.AUC: pair, MetricKeys.AUC_PR: pair}
        values.update(dict.fromkeys(_threshold_kinds(self._thresholds), pair))
        for c in self._watched:
            of_class = probabilities[..., c : c + 1]
            pair = (labels[..., c : c + 1], of_class)
            values.update(zip(self._class_keys(c), ((of_class,), pair, pair), strict=True))
        return values


class RegressionCore(Core):
    """Targets, mean squared error."""

    _inverse_link: Any = None

    def _init(
        self,
        dimension: Any,
        weight_column: Any,
        loss_fn: Any,
        inverse_link_fn: Any,
        name: str | None,
    ) -> None:
        _checks.check_at_least(1, label_dimension=dimension)
        self._dimension: int = dimension
        self._weight_column = weight_column
        self._loss_fn = _checks.check_loss_fn(loss_fn)
        self._inverse_link = inverse_link_fn
        self._name = name

    @property
    def logits_dimension(self) -> int:
        """The number of targets."""
        return self._dimension

    def _labels(self, labels: Any, logits: Any) -> Any:
        return tf.cast(_checks.dense_labels(labels, logits, self._dimension), tf.float32)

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        if self._loss_fn is not None:
            return _checks.call_loss_fn(self._loss_fn, labels, logits, features, self._dimension)
        return tf.math.squared_difference(logits, labels)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        keys = PredictionKeys
        if self._inverse_link is None:
            return {keys.PREDICTIONS: logits}
        return {keys.PREDICTIONS: self._inverse_link(logits), keys.LOGITS: logits}

    def _signatures(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        return {REGRESS: RegressionOutput(predictions[PredictionKeys.PREDICTIONS])}

    def _metric_kinds(self) -> dict[str, Kind]:
        keys = MetricKeys
        return dict.fromkeys((keys.LOSS_MEAN, keys.PREDICTION_MEAN, keys.LABEL_MEAN), Kind("mean"))

    def _metric_values(self, labels: Any, predictions: dict[str, Any]) -> dict[str, Any]:
        value = predictions[PredictionKeys.PREDICTIONS]
        return {MetricKeys.PREDICTION_MEAN: (value,), MetricKeys.LABEL_MEAN: (labels,)}


class PoissonCore(RegressionCore):
    """Counts, the log likelihood of a Poisson distribution whose logarithm the logits are."""

    _full = True

    def _init_poisson(
        self, dimension: Any, weight_column: Any, compute_full_loss: bool, name: str | None
    ) -> None:
        self._init(dimension, weight_column, None, tf.exp, name)
        self._full = compute_full_loss

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        return tf.nn.log_poisson_loss(
            targets=labels, log_input=logits, compute_full_loss=self._full
        )


class LogisticCore(RegressionCore):
    """One target within [0, 1], sigmoid cross entropy."""

    def _init_logistic(self, weight_column: Any, name: str | None) -> None:
        self._init(1, weight_column, None, tf.sigmoid, name)

    def _example_loss(self, labels: Any, logits: Any, features: Any) -> Any:
        labels = _checks.in_range(labels, 2, "labels")
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
