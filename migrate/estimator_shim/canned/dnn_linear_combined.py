"""`DNNLinearCombinedClassifier`, `…Regressor`, `…Estimator`: wide and deep models.

Cheng et al., Wide & Deep Learning for Recommender Systems, 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models, dnn, linear, optimizers
from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = [
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
]

_DNN_LEARNING_RATE = 0.001
_LINEAR_LEARNING_RATE = 0.005
_SUM = tf.losses.Reduction.SUM


def _model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    linear_columns: tuple[Any, ...],
    linear_optimizer: Any,
    dnn_columns: tuple[Any, ...],
    dnn_optimizer: Any,
    hidden_units: Sequence[int],
    activation_fn: Any,
    dropout: float | None,
    partitioner: Any,
    config: Any,
    batch_norm: bool,
    sparse_combiner: str,
) -> EstimatorSpec:
    """The model_fn of `DNNLinearCombinedEstimator`."""
    _models.check_features(features)
    hidden = _models.partitioner(_models.servers(config))
    columns_partitioner = _models.input_partitioner(config, partitioner)
    values = tuple(features.values())
    logits: list[Any] = []
    if dnn_columns:
        if hidden_units is None:
            raise ValueError("dnn_feature_columns need dnn_hidden_units. Received: None")
        dnn_optimizer = optimizers.get_optimizer_instance(dnn_optimizer, _DNN_LEARNING_RATE)
        with tf.variable_scope("dnn", values=values, partitioner=hidden):
            deep = dnn.dnn_logit_fn_builder(
                head.logits_dimension, hidden_units, dnn_columns, activation_fn, dropout,
                columns_partitioner, batch_norm,
            )  # fmt: skip
            logits.append(deep(features=features, mode=mode))
    if linear_columns:
        rate = linear.learning_rate(linear_columns, _LINEAR_LEARNING_RATE)
        linear_optimizer = optimizers.get_optimizer_instance(linear_optimizer, rate)
        with tf.variable_scope("linear", values=values, partitioner=columns_partitioner) as scope:
            wide = linear.linear_logit_fn_builder(
                head.logits_dimension, linear_columns, sparse_combiner
            )
            logits.append(wide(features=features))
            _models.summarize(logits[-1], scope.name)

    def train_op_fn(loss: Any) -> Any:
        """Each part has its own optimizer; the step is counted once, after both."""
        ops = []
        for there, optimizer, scope in (
            (dnn_columns, dnn_optimizer, "dnn"),
            (linear_columns, linear_optimizer, "linear"),
        ):
            if there:
                variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)
                ops.append(optimizer.minimize(loss, var_list=variables))
        with tf.control_dependencies([tf.group(*ops)]):
            return tf.assign_add(tf.train.get_global_step(), 1).op

    return head.create_estimator_spec(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn,
        logits=tf.add_n(logits) if len(logits) > 1 else logits[0],
    )  # fmt: skip


class DNNLinearCombinedEstimator(Estimator):
    """A linear and a deep model on feature columns whose logits are added, with any head.

    Variables are called as those of `LinearEstimator` and of `DNNEstimator`.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim` or of `contrib.estimator`.
          model_dir: See `Estimator`.
          linear_feature_columns: Columns of the linear part; None for none.
          linear_optimizer: See `LinearEstimator`; a name has a learning rate of
            min(0.005, 1/√columns).
          dnn_feature_columns: Columns of the deep part; None for none.
          dnn_optimizer: See `DNNEstimator`; a name has a learning rate of 0.001.
          dnn_hidden_units: The sizes of the hidden layers.
          dnn_activation_fn: Of the hidden layers.
          dnn_dropout: The share of each hidden layer to drop in training.
          input_layer_partitioner: Of the columns' variables; None: by 64 MiB over servers.
          config: See `Estimator`.
          linear_sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If there are no columns at all.
        """
        self._make(
            head, model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, config, None, False, linear_sparse_combiner,
        )  # fmt: skip

    def _make(
        self,
        head: Any,
        model_dir: str | None,
        linear_feature_columns: Any,
        linear_optimizer: Any,
        dnn_feature_columns: Any,
        dnn_optimizer: Any,
        dnn_hidden_units: Any,
        dnn_activation_fn: Any,
        dnn_dropout: float | None,
        input_layer_partitioner: Any,
        config: Any,
        warm_start_from: Any,
        batch_norm: bool,
        sparse_combiner: str,
    ) -> None:
        wide = tuple(linear_feature_columns or [])
        deep = tuple(dnn_feature_columns or [])
        if not wide and not deep:
            raise ValueError(
                "Either linear_feature_columns or dnn_feature_columns must be given. "
                f"Received: {linear_feature_columns!r} and {dnn_feature_columns!r}"
            )

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _model_fn(
                features, labels, mode, head, wide, linear_optimizer, deep, dnn_optimizer,
                dnn_hidden_units, dnn_activation_fn, dnn_dropout, input_layer_partitioner, config,
                batch_norm, sparse_combiner,
            )  # fmt: skip

        Estimator.__init__(
            self,
            model_fn=model_fn,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
        )


class DNNLinearCombinedClassifier(DNNLinearCombinedEstimator):
    """A wide and deep classifier.

    Labels are integers [batch_size, 1] or [batch_size], or strings with a ``label_vocabulary``.
    Predictions and metrics are those of `BinaryClassHead` or `MultiClassHead`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: See `Estimator`.
          linear_feature_columns: See `DNNLinearCombinedEstimator`.
          linear_optimizer: See `DNNLinearCombinedEstimator`.
          dnn_feature_columns: See `DNNLinearCombinedEstimator`.
          dnn_optimizer: See `DNNLinearCombinedEstimator`.
          dnn_hidden_units: See `DNNLinearCombinedEstimator`.
          dnn_activation_fn: See `DNNLinearCombinedEstimator`.
          dnn_dropout: See `DNNLinearCombinedEstimator`.
          n_classes: The number of classes.
          weight_column: See `DNNClassifier`.
          label_vocabulary: The names of the classes, if labels are strings.
          input_layer_partitioner: See `DNNLinearCombinedEstimator`.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: One of ``tf.compat.v1.losses.Reduction``; the sum by default.
          batch_norm: Whether each hidden layer is followed by batch normalization.
          linear_sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If there are no columns, n_classes is less than 2 or
            loss_reduction unknown.
        """
        self._make(
            heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, config, warm_start_from, batch_norm, linear_sparse_combiner,
        )  # fmt: skip


class DNNLinearCombinedRegressor(DNNLinearCombinedEstimator):
    """A wide and deep regressor.

    Labels are numbers [batch_size, label_dimension]; predictions and metrics are those of
    `RegressionHead`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: See `Estimator`.
          linear_feature_columns: See `DNNLinearCombinedEstimator`.
          linear_optimizer: See `DNNLinearCombinedEstimator`.
          dnn_feature_columns: See `DNNLinearCombinedEstimator`.
          dnn_optimizer: See `DNNLinearCombinedEstimator`.
          dnn_hidden_units: See `DNNLinearCombinedEstimator`.
          dnn_activation_fn: See `DNNLinearCombinedEstimator`.
          dnn_dropout: See `DNNLinearCombinedEstimator`.
          label_dimension: The number of targets.
          weight_column: See `DNNClassifier`.
          input_layer_partitioner: See `DNNLinearCombinedEstimator`.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: See `DNNLinearCombinedClassifier`.
          batch_norm: See `DNNLinearCombinedClassifier`.
          linear_sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If there are no columns, label_dimension is less than 1 or
            loss_reduction unknown.
        """
        self._make(
            heads._regression_head(weight_column, label_dimension, loss_reduction),
            model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
            input_layer_partitioner, config, warm_start_from, batch_norm, linear_sparse_combiner,
        )  # fmt: skip
