"""The canned Estimators of ``tf.compat.v2.estimator``: new heads, optimizers of Keras.

The models are those of v1. What differs: losses are means over the batch, optimizers are Keras' (by
name with Keras' learning rates), and slots have tf.keras' names in checkpoints
("training/Adagrad/dnn/hiddenlayer_0/kernel/accumulator").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._column_state import input_layer
from migrate.estimator_shim.canned import _models, dnn, linear
from migrate.estimator_shim.canned.baseline import batch_size
from migrate.estimator_shim.canned.linear_sdca import LinearSDCA, check_sdca, sdca_model_fn
from migrate.estimator_shim.estimator import EstimatorV2
from migrate.estimator_shim.head.base_head import SUM_OVER_BATCH_SIZE
from migrate.estimator_shim.head.binary_class_head import BinaryClassHead
from migrate.estimator_shim.head.multi_class_head import MultiClassHead
from migrate.estimator_shim.head.regression_head import RegressionHead
from migrate.estimator_shim.keras import _optimizers
from migrate.estimator_shim.keras._values import outside
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = [
    "BaselineClassifierV2",
    "BaselineEstimatorV2",
    "BaselineRegressorV2",
    "DNNClassifierV2",
    "DNNEstimatorV2",
    "DNNLinearCombinedClassifierV2",
    "DNNLinearCombinedEstimatorV2",
    "DNNLinearCombinedRegressorV2",
    "DNNRegressorV2",
    "LinearClassifierV2",
    "LinearEstimatorV2",
    "LinearRegressorV2",
    "get_optimizer_instance_v2",
]

_BASELINE_RATE, _LINEAR_RATE = 0.3, 0.2
_COMBINED_DNN_RATE, _COMBINED_LINEAR_RATE = 0.001, 0.005
_NAMES = {"Adagrad": "Adagrad", "Adam": "Adam", "Ftrl": "Ftrl", "RMSProp": "RMSprop", "SGD": "SGD"}


def get_optimizer_instance_v2(opt: Any, learning_rate: float | None = None) -> Any:
    """The optimizer of Keras that an argument of a canned Estimator means.

    Args:
      opt: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD"; a function without arguments that returns
        an optimizer (called while the graph is built); or a ``tf.keras.optimizers.Optimizer``.
      learning_rate: The learning rate for a name; None for Keras' own.

    Returns:
      A ``tf.keras.optimizers.Optimizer``.

    Raises:
      ValueError: If the name is unknown, or it is no optimizer of Keras.
    """
    import keras

    if isinstance(opt, str):
        if opt not in _NAMES:
            raise ValueError(f"optimizer must be one of {sorted(_NAMES)}. Received: {opt!r}")
        made = getattr(keras.optimizers, _NAMES[opt])
        options = {"learning_rate": learning_rate} if learning_rate else {}
        return outside(lambda: made(**options))
    if callable(opt) and not isinstance(opt, keras.optimizers.Optimizer):
        opt = outside(opt)
    if not isinstance(opt, keras.optimizers.Optimizer):
        raise ValueError(
            "optimizer must be a name, a tf.keras.optimizers.Optimizer, or a function that returns "
            f"one; with an optimizer of TF1 take v1's Estimators. Received: {opt!r}"
        )
    _optimizers.check(opt)
    return opt


def _minimize(
    optimizer: Any, loss: Any, variables: Iterable[Any], step: Any, suffix: str = ""
) -> Any:
    trained = {v.op.name: _optimizers.Trained(v, v, v) for v in variables}
    return _optimizers.minimize(optimizer, loss, trained, step, suffix)


def _trainable(scope: str) -> list[Any]:
    found: list[Any] = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=scope)
    return found


class _Model:
    """A part of a model: its logits, its variables, its optimizer."""

    def __init__(self, logits: Any, variables: list[Any], optimizer: Any) -> None:
        self.logits, self.variables, self.optimizer = logits, variables, optimizer


def _spec(
    head: Any, features: Any, labels: Any, mode: str, models: Sequence[_Model]
) -> EstimatorSpec:
    """What a model_fn returns: the logits are added, each part has its own optimizer."""
    logits = [model.logits for model in models]

    def train_op_fn(loss: Any) -> Any:
        # Only one of the optimizers counts global steps; the other has a counter of its own.
        step, updates, seen = tf.train.get_global_step(), [], set()
        for i, model in enumerate(models):
            kind = type(model.optimizer).__name__
            suffix = "_1" if kind in seen else ""
            seen.add(kind)
            if i:
                step = tf.get_variable(
                    f"training/{kind}{suffix}/iter", [], tf.int64, tf.zeros_initializer(),
                    trainable=False, use_resource=True,
                )  # fmt: skip
            updates.append(_minimize(model.optimizer, loss, model.variables, step, suffix))
        return tf.group(*updates, *tf.get_collection(tf.GraphKeys.UPDATE_OPS))

    return head.create_estimator_spec(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn,
        logits=tf.add_n(logits) if len(logits) > 1 else logits[0],
    )  # fmt: skip


def _deep(
    features: Any, mode: str, head: Any, hidden_units: Any, columns: Any, activation_fn: Any,
    dropout: float | None, batch_norm: bool, optimizer: Any, rate: float | None,
) -> _Model:  # fmt: skip
    if mode == ModeKeys.TRAIN:
        optimizer = get_optimizer_instance_v2(optimizer, rate)
    with tf.variable_scope(tf.get_variable_scope(), use_resource=True):
        for column in columns:
            # Shared embeddings lie outside of the scope, and TF 1.15 does not train them.
            getattr(
                getattr(column, "shared_embedding_column_creator", None), "embedding_weights", 0
            )
    # Without a name scope: the summaries of 1.15.5 lie outside of it.
    with tf.variable_scope("dnn", use_resource=True, auxiliary_name_scope=False):
        logit_fn = dnn.logit_fn_on(
            input_layer, head.logits_dimension, hidden_units, columns, activation_fn, dropout, None,
            batch_norm,
        )  # fmt: skip
        logits = logit_fn(features=features, mode=mode)
    return _Model(logits, _trainable("dnn/"), optimizer)


def _wide(
    features: Any, mode: str, head: Any, columns: Any, combiner: str, optimizer: Any, rate: float
) -> _Model:
    if mode == ModeKeys.TRAIN:
        optimizer = get_optimizer_instance_v2(optimizer, rate)
    with tf.variable_scope("linear", use_resource=True, auxiliary_name_scope=False):
        logit_fn = linear.linear_logit_fn_builder(head.logits_dimension, columns, combiner)
        logits = logit_fn(features=features)
    return _Model(logits, _trainable("linear/"), optimizer)


def _class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> Any:
    if n_classes == 2:
        return BinaryClassHead(
            weight_column=weight_column, label_vocabulary=label_vocabulary,
            loss_reduction=loss_reduction,
        )  # fmt: skip
    return MultiClassHead(
        n_classes, weight_column=weight_column, label_vocabulary=label_vocabulary,
        loss_reduction=loss_reduction,
    )  # fmt: skip


class DNNEstimatorV2(EstimatorV2):
    """Dense layers on feature columns, with any head. See `dnn.DNNEstimator`."""

    def __init__(
        self,
        head: Any,
        hidden_units: Sequence[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
        dropout: float | None = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim`.
          hidden_units: The sizes of the hidden layers.
          feature_columns: Dense columns; also ``tf.feature_column.shared_embeddings``.
          model_dir: See `Estimator`.
          optimizer: A name with Keras' learning rate, an optimizer of Keras, or a function that
            returns one.
          activation_fn: Of the hidden layers.
          dropout: The share of each hidden layer to drop in training.
          config: See `Estimator`.
          warm_start_from: See `Estimator`.
          batch_norm: Whether each hidden layer is followed by batch normalization.
        """

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            _models.check_features(features)
            part = _deep(
                features, mode, head, hidden_units, tuple(feature_columns or []), activation_fn,
                dropout, batch_norm, optimizer, None,
            )  # fmt: skip
            return _spec(head, features, labels, mode, [part])

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifierV2(DNNEstimatorV2):
    """A classifier of dense layers. See `DNNEstimatorV2` and `dnn.DNNClassifier`."""

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
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet. See `DNNEstimatorV2` and `BinaryClassHead` for the arguments."""
        super().__init__(
            _class_head(n_classes, weight_column, label_vocabulary, loss_reduction),
            hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, config,
            warm_start_from, batch_norm,
        )  # fmt: skip


class DNNRegressorV2(DNNEstimatorV2):
    """A regressor of dense layers. See `DNNEstimatorV2` and `dnn.DNNRegressor`."""

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
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
    ) -> None:
        """Nothing is built yet. See `DNNEstimatorV2` and `RegressionHead` for the arguments."""
        super().__init__(
            RegressionHead(label_dimension, weight_column, loss_reduction),
            hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, config,
            warm_start_from, batch_norm,
        )  # fmt: skip


class LinearEstimatorV2(EstimatorV2):
    """A linear model on feature columns, with any head. See `linear.LinearEstimator`."""

    _warm_start_from: Any = None

    def __init__(
        self,
        head: Any,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim`.
          feature_columns: Numeric, bucketized, categorical and crossed columns.
          model_dir: See `Estimator`.
          optimizer: A name (with a learning rate of 0.2), an optimizer of Keras, a function that
            returns one, or `LinearSDCA`.
          config: See `Estimator`.
          sparse_combiner: See `linear_logit_fn_builder`.
        """
        self._make(head, feature_columns, model_dir, optimizer, config, sparse_combiner, None)

    def _make(
        self, head: Any, feature_columns: Any, model_dir: Any, optimizer: Any, config: Any,
        sparse_combiner: str, warm_start_from: Any,
    ) -> None:  # fmt: skip
        check_sdca(optimizer, head.logits_dimension, sparse_combiner)

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            _models.check_features(features)
            columns = tuple(feature_columns or [])
            if not columns:
                raise ValueError("feature_columns must not be empty. Received: []")
            if isinstance(optimizer, LinearSDCA):
                with tf.variable_scope("linear", use_resource=True):
                    return sdca_model_fn(features, labels, mode, head, columns, optimizer)
            part = _wide(features, mode, head, columns, sparse_combiner, optimizer, _LINEAR_RATE)
            return _spec(head, features, labels, mode, [part])

        EstimatorV2.__init__(self, model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifierV2(LinearEstimatorV2):
    """A linear classifier. See `LinearEstimatorV2` and `linear.LinearClassifier`."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet. See `LinearEstimatorV2` and `BinaryClassHead` for the arguments."""
        head = _class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        self._make(
            head, feature_columns, model_dir, optimizer, config, sparse_combiner, warm_start_from
        )


class LinearRegressorV2(LinearEstimatorV2):
    """A linear regressor. See `LinearEstimatorV2` and `linear.LinearRegressor`."""

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet. See `LinearEstimatorV2` and `RegressionHead` for the arguments."""
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        self._make(
            head, feature_columns, model_dir, optimizer, config, sparse_combiner, warm_start_from
        )


class DNNLinearCombinedEstimatorV2(EstimatorV2):
    """A wide and deep model, with any head. See `DNNLinearCombinedEstimator`."""

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
        config: Any = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim`.
          model_dir: See `Estimator`.
          linear_feature_columns: Columns of the linear part; None for none.
          linear_optimizer: See `LinearEstimatorV2`; a name has a learning rate of
            min(0.005, 1/√columns).
          dnn_feature_columns: Columns of the deep part; None for none.
          dnn_optimizer: See `DNNEstimatorV2`; a name has a learning rate of 0.001.
          dnn_hidden_units: The sizes of the hidden layers.
          dnn_activation_fn: Of the hidden layers.
          dnn_dropout: The share of each hidden layer to drop in training.
          config: See `Estimator`.
          linear_sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If there are no columns at all.
        """
        self._make(
            head, model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns,
            dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout, config, None, False,
            linear_sparse_combiner,
        )  # fmt: skip

    def _make(
        self, head: Any, model_dir: Any, linear_feature_columns: Any, linear_optimizer: Any,
        dnn_feature_columns: Any, dnn_optimizer: Any, dnn_hidden_units: Any,
        dnn_activation_fn: Any, dnn_dropout: float | None, config: Any, warm_start_from: Any,
        batch_norm: bool, linear_sparse_combiner: str,
    ) -> None:  # fmt: skip
        wide, deep = tuple(linear_feature_columns or ()), tuple(dnn_feature_columns or ())
        if not wide and not deep:
            raise ValueError(
                "linear_feature_columns or dnn_feature_columns must be given. Received: neither"
            )

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            _models.check_features(features)
            models = []
            if deep:
                if not dnn_hidden_units:
                    raise ValueError(
                        f"dnn_feature_columns need dnn_hidden_units. Received: {dnn_hidden_units!r}"
                    )
                part = _deep(
                    features, mode, head, dnn_hidden_units, deep, dnn_activation_fn, dnn_dropout,
                    batch_norm, dnn_optimizer, _COMBINED_DNN_RATE,
                )  # fmt: skip
                models.append(part)
            if wide:
                rate = linear.learning_rate(wide, _COMBINED_LINEAR_RATE)
                part = _wide(
                    features, mode, head, wide, linear_sparse_combiner, linear_optimizer, rate
                )
                _models.summarize(part.logits, "linear")
                models.append(part)
            return _spec(head, features, labels, mode, models)

        EstimatorV2.__init__(self, model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNLinearCombinedClassifierV2(DNNLinearCombinedEstimatorV2):
    """A wide and deep classifier. See `DNNLinearCombinedEstimatorV2`."""

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
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet. See `DNNLinearCombinedEstimatorV2` for the arguments."""
        self._make(
            _class_head(n_classes, weight_column, label_vocabulary, loss_reduction), model_dir,
            linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, config, warm_start_from, batch_norm,
            linear_sparse_combiner,
        )  # fmt: skip


class DNNLinearCombinedRegressorV2(DNNLinearCombinedEstimatorV2):
    """A wide and deep regressor. See `DNNLinearCombinedEstimatorV2`."""

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
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet. See `DNNLinearCombinedEstimatorV2` for the arguments."""
        self._make(
            RegressionHead(label_dimension, weight_column, loss_reduction), model_dir,
            linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, config, warm_start_from, batch_norm,
            linear_sparse_combiner,
        )  # fmt: skip


class BaselineEstimatorV2(EstimatorV2):
    """Ignores the features and learns a bias. See `baseline.BaselineEstimator`."""

    def __init__(
        self, head: Any, model_dir: str | None = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim`.
          model_dir: See `Estimator`.
          optimizer: A name (with a learning rate of 0.3), an optimizer of Keras, or a function
            that returns one.
          config: See `Estimator`.
        """

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            _models.check_features(features)
            with tf.variable_scope("baseline", use_resource=True):
                bias = tf.get_variable(
                    "bias", [head.logits_dimension], initializer=tf.zeros_initializer()
                )
                logits = bias * tf.ones([batch_size(features), head.logits_dimension])
            made = optimizer
            if mode == ModeKeys.TRAIN:
                made = get_optimizer_instance_v2(optimizer, _BASELINE_RATE)
            return _spec(head, features, labels, mode, [_Model(logits, [bias], made)])

        super().__init__(model_fn, model_dir, config)


class BaselineClassifierV2(BaselineEstimatorV2):
    """Learns how frequent the classes are. See `BaselineEstimatorV2`."""

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
    ) -> None:
        """Nothing is built yet. See `BaselineEstimatorV2` for the arguments."""
        head = _class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressorV2(BaselineEstimatorV2):
    """Learns the mean of the targets. See `BaselineEstimatorV2`."""

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
    ) -> None:
        """Nothing is built yet. See `BaselineEstimatorV2` for the arguments."""
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)
