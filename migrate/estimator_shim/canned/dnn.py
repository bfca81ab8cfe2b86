"""`DNNClassifier`, `DNNRegressor`, `DNNEstimator`: dense layers on feature columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models, optimizers
from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.tf1_shim import layers

__all__ = [
    "DNNClassifier",
    "DNNEstimator",
    "DNNRegressor",
    "_dnn_logit_fn_builder",
    "dnn_logit_fn_builder",
]

LEARNING_RATE = 0.05
_BATCH_NORM_MOMENTUM = 0.999
_SUM = tf.losses.Reduction.SUM


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool,
) -> Callable[..., Any]:
    """A function that makes the logits of a `DNNEstimator`, for a model_fn of one's own.

    Args:
      units: The size of the last dimension of the logits.
      hidden_units: The sizes of the hidden layers.
      feature_columns: Dense feature columns.
      activation_fn: Of the hidden layers; None for none.
      dropout: The share of each hidden layer to drop in training; None for none.
      input_layer_partitioner: Of the feature columns' variables; None for none.
      batch_norm: Whether each hidden layer is followed by batch normalization.

    Returns:
      A function of ``features`` and ``mode`` that returns logits [batch_size, units]. It makes
      variables "input_from_feature_columns/input_layer/…", "hiddenlayer_<n>/kernel", "…/bias" and
      "logits/…" in the variable scope in which it is called.

    Raises:
      ValueError: If units is no int.
    """
    return logit_fn_on(
        tf.feature_column.input_layer, units, hidden_units, feature_columns, activation_fn,
        dropout, input_layer_partitioner, batch_norm,
    )  # fmt: skip


def _dnn_logit_fn_builder(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """`dnn_logit_fn_builder` as it was called until TF 1.13; without batch_norm at first."""
    if len(args) < 7:
        kwargs.setdefault("batch_norm", False)
    return dnn_logit_fn_builder(*args, **kwargs)


def logit_fn_on(
    input_layer: Callable[[Any, Any], Any],
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool,
) -> Callable[..., Any]:
    """`dnn_logit_fn_builder` with another input layer: from features and columns to a tensor."""
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Received: {units!r}")
    columns = tuple(feature_columns)

    def dnn_logit_fn(features: Any, mode: str) -> Any:
        training = mode == ModeKeys.TRAIN
        with tf.variable_scope("input_from_feature_columns", partitioner=input_layer_partitioner):
            net = input_layer(features, columns)
        for i, size in enumerate(hidden_units):
            with tf.variable_scope(f"hiddenlayer_{i}") as scope:
                net = _dense(net, int(size), activation_fn)
                if dropout is not None and training:
                    net = tf.nn.dropout(net, rate=dropout)
                if batch_norm:
                    net = layers.batch_normalization(
                        net, momentum=_BATCH_NORM_MOMENTUM, training=training,
                        name=f"batchnorm_{i}",
                    )  # fmt: skip
            _models.summarize(net, scope.name)
        with tf.variable_scope("logits") as scope:
            logits = _dense(net, units, None)
        _models.summarize(logits, scope.name)
        return logits

    return dnn_logit_fn


def _dense(inputs: Any, units: int, activation: Callable[[Any], Any] | None) -> Any:
    """A dense layer in the present variable scope."""
    size = int(inputs.shape[-1])
    kernel = tf.get_variable("kernel", [size, units], initializer=tf.glorot_uniform_initializer())
    bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
    outputs = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
    return outputs if activation is None else activation(outputs)


def _dnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    optimizer: Any = "Adagrad",
    activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    batch_norm: bool = False,
) -> EstimatorSpec:
    """The model_fn of `DNNEstimator`."""
    _models.check_features(features)
    optimizer = optimizers.get_optimizer_instance(optimizer, LEARNING_RATE)
    hidden = _models.partitioner(_models.servers(config))
    with tf.variable_scope("dnn", values=tuple(_tensors(features)), partitioner=hidden):
        logit_fn = dnn_logit_fn_builder(
            head.logits_dimension, hidden_units, feature_columns, activation_fn, dropout,
            _models.input_partitioner(config, input_layer_partitioner), batch_norm,
        )  # fmt: skip
        logits = logit_fn(features=features, mode=mode)
        # Within the scope, as in TF1: the keys of partitioned variables' slots hang on it.
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits
        )


def _tensors(features: Any) -> list[Any]:
    return list(features.values())


class DNNEstimator(Estimator):
    """Dense layers on feature columns, with any head.

    The layers' variables are called "dnn/hiddenlayer_0/kernel", "…/bias", "dnn/logits/…"; those of
    embeddings "dnn/input_from_feature_columns/input_layer/<column>/embedding_weights": checkpoints
    are exchanged with TF 1.15.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim` or of `contrib.estimator`.
          hidden_units: The sizes of the hidden layers, such as [64, 32].
          feature_columns: Dense columns (numeric, bucketized, indicator, embedding).
          model_dir: See `Estimator`.
          optimizer: A name ("Adagrad", with a learning rate of 0.05; "Adam", "Ftrl", "RMSProp",
            "SGD"), a ``tf.compat.v1.train.Optimizer``, or a function that returns one.
          activation_fn: Of the hidden layers.
          dropout: The share of each hidden layer to drop in training.
          input_layer_partitioner: Of the columns' variables; None: by 64 MiB over servers.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          batch_norm: Whether each hidden layer is followed by batch normalization.
        """

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _dnn_model_fn(
                features, labels, mode, head, hidden_units, tuple(feature_columns or []),
                optimizer, activation_fn, dropout, input_layer_partitioner, config, batch_norm,
            )  # fmt: skip

        super().__init__(
            model_fn=model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from
        )


class DNNClassifier(DNNEstimator):
    """A classifier of dense layers on feature columns.

    Labels are integers [batch_size, 1] or [batch_size], or strings with a ``label_vocabulary``.
    Predictions and metrics are those of `BinaryClassHead` or `MultiClassHead`. ::

        est = DNNClassifier([32, 16], [tf.feature_column.numeric_column("x")], n_classes=3)
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          hidden_units: See `DNNEstimator`.
          feature_columns: See `DNNEstimator`.
          model_dir: See `Estimator`.
          n_classes: The number of classes.
          weight_column: The name of a feature, or a ``numeric_column``, by which losses and metrics
            of an example are multiplied.
          label_vocabulary: The names of the classes, if labels are strings.
          optimizer: See `DNNEstimator`.
          activation_fn: See `DNNEstimator`.
          dropout: See `DNNEstimator`.
          input_layer_partitioner: See `DNNEstimator`.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: One of ``tf.compat.v1.losses.Reduction``; the sum by default.
          batch_norm: See `DNNEstimator`.

        Raises:
          ValueError: If n_classes is less than 2 or loss_reduction unknown.
        """
        super().__init__(
            heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout,
            input_layer_partitioner, config, warm_start_from, batch_norm,
        )  # fmt: skip


class DNNRegressor(DNNEstimator):
    """A regressor of dense layers on feature columns.

    Labels are numbers [batch_size, label_dimension]; predictions and metrics are those of
    `RegressionHead`.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          hidden_units: See `DNNEstimator`.
          feature_columns: See `DNNEstimator`.
          model_dir: See `Estimator`.
          label_dimension: The number of targets.
          weight_column: See `DNNClassifier`.
          optimizer: See `DNNEstimator`.
          activation_fn: See `DNNEstimator`.
          dropout: See `DNNEstimator`.
          input_layer_partitioner: See `DNNEstimator`.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: See `DNNClassifier`.
          batch_norm: See `DNNEstimator`.

        Raises:
          ValueError: If label_dimension is less than 1 or loss_reduction unknown.
        """
        super().__init__(
            heads._regression_head(weight_column, label_dimension, loss_reduction),
            hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout,
            input_layer_partitioner, config, warm_start_from, batch_norm,
        )  # fmt: skip
