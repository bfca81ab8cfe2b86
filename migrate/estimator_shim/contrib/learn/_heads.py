"""The heads of contrib.learn for targets, two classes and more; the base of all heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn.constants import PredictionKey, ProblemType
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps

_CENTERED_BIAS_RATE = 0.1


def no_op_train_fn(loss: Any) -> Any:
    """A train_op_fn that does nothing, for heads that are evaluated only.

    Args:
      loss: The loss.

    Returns:
      An operation.
    """
    del loss
    return tf.no_op()


class Head:
    """The top of a model of contrib.learn: loss, metrics and predictions of its logits."""

    _scope = "head"
    _problem: Any = ProblemType.UNSPECIFIED

    def __init__(
        self,
        dimension: int,
        label_name: str | None,
        weight_column_name: str | None,
        enable_centered_bias: bool,
        head_name: str | None,
        loss_fn: Callable[..., Any] | None = None,
    ) -> None:
        self._dimension = dimension
        self._label_name = label_name
        self._weight_column_name = weight_column_name
        self._centered = enable_centered_bias
        self._head_name = head_name
        self._loss_fn = loss_fn

    @property
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""
        return self._dimension

    @property
    def head_name(self) -> str | None:
        """The head's name, which ends the names of metrics and summaries."""
        return self._head_name

    @property
    def has_centered_bias(self) -> bool:
        """Whether it learns a bias by itself."""
        return self._centered

    def _key(self, name: str) -> str:
        return f"{name}/{self._head_name}" if self._head_name else name

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._unreduced")

    def _predictions(self, logits: Any) -> dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__}._predictions")

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__}._metrics")

    def _checked_labels(self, labels: Any) -> Any:
        """Labels as the loss takes them."""
        if isinstance(labels, Mapping):
            if self._label_name is None:
                raise ValueError(
                    f"labels are a dict: the head needs label_name. Received: {sorted(labels)}"
                )
            labels = labels[self._label_name]
        if labels is None:
            raise ValueError("The head needs labels in training and evaluation. Received: None")
        if isinstance(labels, tf.SparseTensor):
            raise ValueError(f"labels must be a dense tensor. Received: {labels!r}")
        return tf.convert_to_tensor(labels)

    def _loss(self, labels: Any, logits: Any, weights: Any) -> tuple[Any, Any]:
        """The loss of training and that of evaluation: means over examples, and over weights."""
        each = (self._loss_fn or self._unreduced)(labels, logits)
        if weights is None:
            mean = tf.reduce_mean(each)
            return mean, mean
        weights = as_wide(weights, each)
        weighted = each * weights
        # Weights may have fewer columns than the losses that they are multiplied with.
        total = tf.reduce_sum(tf.cast(weights, tf.float32) * tf.ones_like(each))
        return tf.reduce_mean(weighted), tf.reduce_sum(weighted) / tf.maximum(total, 0.0)

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
          features: The features; needed for a weight column.
          mode: One of `ModeKeys`.
          labels: The labels; needed to train and to evaluate.
          train_op_fn: Makes the training operation of the loss; needed to train.
          logits: The logits, [batch_size, logits_dimension].
          logits_input: In place of logits: what a dense layer makes logits of.
          scope: A variable scope.

        Returns:
          `ModelFnOps`.

        Raises:
          ValueError: If logits and logits_input are both given or both missing, or training lacks
            train_op_fn.
        """
        if (logits is None) == (logits_input is None):
            raise ValueError("Give logits or logits_input. Received: both or neither")
        values = tuple(features.values()) if isinstance(features, Mapping) else (features,)
        with tf.variable_scope(scope, default_name=self._head_name or self._scope, values=values):
            if logits is None:
                from migrate.tf1_shim.contrib import layers

                logits = layers.fully_connected(
                    logits_input, self.logits_dimension, activation_fn=None, scope="logits"
                )
            logits = self._check_logits(logits)
            bias = None
            if self._centered:
                bias = _centered_bias(self.logits_dimension)
                logits = logits + bias
            predictions = self._predictions(logits)
            name = self._head_name
            alternatives = {name: (self._problem, self._exported(predictions))}
            if mode == ModeKeys.INFER:
                return ModelFnOps(mode, predictions, output_alternatives=alternatives)
            labels = self._checked_labels(labels)
            weights = _weights(features, self._weight_column_name)
            loss, average = self._loss(labels, logits, weights)
            with tf.name_scope(""):
                tf.summary.scalar(self._key("loss"), average)
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise ValueError("Training needs train_op_fn. Received: train_op_fn=None")
                train_op = self._train_op(loss, labels, bias, weights, train_op_fn)
                return ModelFnOps(
                    mode, predictions, loss, train_op, output_alternatives=alternatives
                )
            metrics = {"loss": tf.metrics.mean(average)}
            metrics.update(self._metrics(labels, predictions, weights))
            named = {self._key(k): v for k, v in metrics.items()}
            return ModelFnOps(
                mode, predictions, loss, eval_metric_ops=named, output_alternatives=alternatives
            )

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """What exports and predictors give."""
        return predictions

    def _check_logits(self, logits: Any) -> Any:
        logits = tf.convert_to_tensor(logits)
        if not logits.shape.is_compatible_with([None, self.logits_dimension]):
            raise ValueError(
                f"logits must have the shape [batch_size, {self.logits_dimension}]. "
                f"Received: {logits.shape}"
            )
        return logits

    def _train_op(
        self, loss: Any, labels: Any, bias: Any, weights: Any, train_op_fn: Callable[[Any], Any]
    ) -> Any:
        with tf.name_scope("train_op"):
            train_op = train_op_fn(loss)
            if bias is None:
                return tf.group(train_op)
            size = tf.shape(labels)[0]
            tiled = tf.reshape(tf.tile(bias, [size]), [size, self.logits_dimension])
            with tf.name_scope("centered_bias_step"):
                own, _ = self._loss(labels, tiled, weights)
                optimizer = tf.train.AdagradOptimizer(_CENTERED_BIAS_RATE)
                step = optimizer.minimize(own, var_list=(bias,), name="centered_bias_step")
            return tf.group(train_op, step)


def as_wide(weights: Any, each: Any) -> Any:
    """Weights of the rank of the losses."""
    weights = tf.cast(weights, tf.float32)
    if each.shape.rank == 2 and weights.shape.rank == 1:
        return tf.expand_dims(weights, 1)
    if each.shape.rank == 1 and weights.shape.rank == 2:
        return tf.squeeze(weights, [1])
    return weights


def _weights(features: Any, name: str | None) -> Any:
    if name is None:
        return None
    if not isinstance(features, Mapping) or name not in features:
        raise ValueError(f"weight_column_name {name!r} must be one of the features")
    return tf.cast(features[name], tf.float32)


def _centered_bias(dimension: int) -> Any:
    """A bias that learns the mean label by itself."""
    # Not get_variable: the scope's partitioner must not split it.
    bias = tf.Variable(tf.zeros([dimension]), name="centered_bias_weight")
    for i in range(dimension):
        tf.summary.scalar(f"centered_bias/bias_{i}", bias[i])
    return bias


def exported_classes(
    predictions: dict[str, Any], names: Sequence[str] | None = None
) -> dict[str, Any]:
    """The probabilities, and in each row the names of all classes, as strings."""
    probabilities = predictions[PredictionKey.PROBABILITIES]
    shape = tf.shape(probabilities)
    classes = tf.constant(names) if names else tf.strings.as_string(tf.range(shape[1]))
    return {
        PredictionKey.PROBABILITIES: probabilities,
        PredictionKey.CLASSES: tf.tile(classes[None], [shape[0], 1]),
    }


class RegressionHead(Head):
    """See `regression_head`."""

    _scope = "regression_head"
    _problem = ProblemType.LINEAR_REGRESSION

    def __init__(self, *args: Any, link_fn: Callable[[Any], Any] | None = None) -> None:
        super().__init__(*args)
        self._link_fn = link_fn

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(labels, tf.float32)
        if labels.shape.rank == 1:
            labels = tf.expand_dims(labels, 1)
        return tf.square(logits - labels)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        scores = logits if self._link_fn is None else self._link_fn(logits)
        if self.logits_dimension == 1:
            scores = tf.squeeze(scores, [1], name=PredictionKey.SCORES)
        return {PredictionKey.SCORES: scores}

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        return {}


class _PoissonHead(RegressionHead):
    """See `poisson_regression_head`."""

    _scope = "poisson_regression_head"

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(labels, tf.float32)
        if labels.shape.rank == 1:
            labels = tf.expand_dims(labels, 1)
        return tf.nn.log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=True)


class _Labeled(Head):
    """Class ids, or their names."""

    _problem = ProblemType.CLASSIFICATION
    _names: Sequence[str] | None = None

    def _ids(self, labels: Any) -> Any:
        if self._names is not None:
            from migrate.estimator_shim.head import _checks

            return _checks.lookup_ids(labels, self._names, ValueError)
        if not labels.dtype.is_integer and not labels.dtype.is_floating:
            raise ValueError(
                f"labels must be integers, or strings with label_keys. Received: {labels!r}"
            )
        return labels

    def _named(self, ids: Any) -> Any:
        return ids if self._names is None else tf.gather(tf.constant(list(self._names)), ids)


class BinaryHead(_Labeled):
    """Two classes, one logit."""

    _scope = "binary_logistic_head"
    _problem = ProblemType.LOGISTIC_REGRESSION

    def __init__(self, *args: Any, thresholds: Sequence[float] | None) -> None:
        super().__init__(*args)
        self._thresholds = tuple(thresholds) if thresholds else (0.5,)

    def _checked_labels(self, labels: Any) -> Any:
        labels = self._ids(super()._checked_labels(labels))
        return tf.expand_dims(labels, 1) if labels.shape.rank == 1 else labels

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(labels, tf.float32)
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        two = tf.concat([tf.zeros_like(logits), logits], 1)
        ids = tf.argmax(two, 1)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: tf.sigmoid(logits),
            PredictionKey.PROBABILITIES: tf.nn.softmax(two),
            PredictionKey.CLASSES: self._named(ids),
        }

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        logistic = predictions[PredictionKey.LOGISTIC]
        ids = tf.cast(tf.argmax(predictions[PredictionKey.PROBABILITIES], 1), tf.float32)[:, None]
        labels = tf.cast(labels, tf.float32)
        w = None if weights is None else as_wide(weights, labels)
        found = {
            "accuracy": tf.metrics.accuracy(labels, ids, w),
            "labels/prediction_mean": tf.metrics.mean(logistic, w),
            "labels/actual_label_mean": tf.metrics.mean(labels, w),
            "accuracy/baseline_label_mean": tf.metrics.mean(labels, w),
            "auc": tf.metrics.auc(labels, logistic, w),
            "auc_precision_recall": tf.metrics.auc(labels, logistic, w, curve="PR"),
        }
        for threshold in self._thresholds:
            above = tf.cast(logistic >= threshold, tf.float32)
            found[f"accuracy/threshold_{threshold:f}_mean"] = tf.metrics.accuracy(labels, above, w)
            for what, metric in (
                ("precision", tf.metrics.precision_at_thresholds),
                ("recall", tf.metrics.recall_at_thresholds),
            ):
                value, update = metric(labels, logistic, [threshold], weights=w)
                key = f"{what}/positive_threshold_{threshold:f}_mean"
                found[key] = (tf.squeeze(value), tf.squeeze(update))
        return found


class _MultiClassHead(_Labeled):
    """Three or more classes."""

    _scope = "multi_class_head"

    def __init__(
        self,
        *args: Any,
        label_keys: Sequence[str] | None,
        metric_class_ids: Sequence[int] | None,
    ) -> None:
        super().__init__(*args)
        self._names = label_keys
        self._class_ids = tuple(metric_class_ids or ())
        for i in self._class_ids:
            if not 0 <= i < self._dimension:
                raise ValueError(
                    f"metric_class_ids must be in [0, {self._dimension}). Received: {i!r}"
                )

    def _checked_labels(self, labels: Any) -> Any:
        labels = self._ids(super()._checked_labels(labels))
        return tf.squeeze(labels, [1]) if labels.shape.rank == 2 else labels

    def _unreduced(self, labels: Any, logits: Any) -> Any:
        labels = tf.cast(labels, tf.int64)
        return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions, self._names)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: tf.nn.softmax(logits),
            PredictionKey.CLASSES: self._named(tf.argmax(logits, 1)),
        }

    def _metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        ids = tf.argmax(predictions[PredictionKey.PROBABILITIES], 1)
        labels = tf.cast(labels, tf.int64)
        w = None if weights is None else as_wide(weights, tf.cast(labels, tf.float32))
        found: dict[str, Any] = {"accuracy": tf.metrics.accuracy(labels, ids, w)}
        for i in self._class_ids:
            probabilities = predictions[PredictionKey.PROBABILITIES]
            wide = None if w is None else tf.expand_dims(w, 1) * tf.ones_like(probabilities)
            means = {"probability": probabilities, "logits": predictions[PredictionKey.LOGITS]}
            found.update(class_means(means, wide, i))
            for key, values in (("prediction", ids), ("actual_label", labels)):
                same = tf.cast(tf.equal(values, i), tf.float32)
                found[f"labels/{key}_mean/class{i}"] = tf.metrics.mean(same, w)
        return found


def class_means(values: Mapping[str, Any], weights: Any, class_id: int) -> dict[str, Any]:
    """Metrics of a class: the means of its column."""
    own = None if weights is None else weights[:, class_id]
    return {
        f"labels/{key}_mean/class{class_id}": tf.metrics.mean(
            tf.cast(value[:, class_id], tf.float32), own
        )
        for key, value in values.items()
    }


def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[[Any], Any] | None = None,
) -> Head:
    """A head for one or more targets, with the mean squared error.

    Args:
      label_name: The label's key, if labels are a dict.
      weight_column_name: The feature by which losses are multiplied.
      label_dimension: The number of targets.
      enable_centered_bias: Whether to learn a bias by itself.
      head_name: Ends the names of metrics and summaries.
      link_fn: Makes predictions of logits.

    Returns:
      The head.
    """
    return RegressionHead(
        label_dimension, label_name, weight_column_name, enable_centered_bias, head_name,
        link_fn=link_fn,
    )  # fmt: skip


def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:
    """A head for counts: logits are the logarithms of Poisson rates.

    Args:
      label_name: See `regression_head`.
      weight_column_name: See `regression_head`.
      label_dimension: The number of targets.
      enable_centered_bias: Whether to learn a bias by itself.
      head_name: Ends the names of metrics and summaries.

    Returns:
      The head.
    """
    return _PoissonHead(
        label_dimension, label_name, weight_column_name, enable_centered_bias, head_name,
        link_fn=tf.exp,
    )  # fmt: skip


def multi_class_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Sequence[str] | None = None,
) -> Head:
    """A head for two classes (one logit) or for more.

    Args:
      n_classes: The number of classes, at least 2.
      label_name: The label's key, if labels are a dict.
      weight_column_name: The feature by which losses are multiplied.
      enable_centered_bias: Whether to learn a bias by itself.
      head_name: Ends the names of metrics and summaries.
      thresholds: Where accuracy, precision and recall of two classes are measured; None for 0.5.
      metric_class_ids: Of three or more classes, those that get metrics of their own.
      loss_fn: A function of labels and logits that returns the losses.
      label_keys: The names of three or more classes, if labels are strings.

    Returns:
      The head.

    Raises:
      ValueError: If n_classes is less than 2, thresholds are given for more classes, or
        label_keys or metric_class_ids for two.
    """
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be at least 2. Received: {n_classes!r}")
    common = (label_name, weight_column_name, enable_centered_bias, head_name, loss_fn)
    if n_classes == 2:
        if label_keys is not None:
            raise ValueError(f"label_keys are for more than two classes. Received: {label_keys!r}")
        if metric_class_ids:
            raise ValueError(
                f"metric_class_ids are for more than two classes. Received: {metric_class_ids!r}"
            )
        return BinaryHead(1, *common, thresholds=thresholds)
    if thresholds is not None:
        raise ValueError(f"thresholds belong to two classes. Received: {thresholds!r}")
    return _MultiClassHead(
        n_classes, *common, label_keys=label_keys, metric_class_ids=metric_class_ids
    )
