"""`LinearClassifier`, `LinearRegressor`, `LinearEstimator`: linear models on feature columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models, optimizers
from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.canned.linear_sdca import LinearSDCA, check_sdca, sdca_model_fn
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = [
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "_linear_logit_fn_builder",
    "linear_logit_fn_builder",
]

LEARNING_RATE = 0.2
_SUM = tf.losses.Reduction.SUM


def learning_rate(columns: Sequence[Any], at_most: float = LEARNING_RATE) -> float:
    """The learning rate for a name of an optimizer: 1 / √(number of columns), or less."""
    return min(at_most, 1.0 / math.sqrt(len(columns)))


def linear_logit_fn_builder(
    units: int, feature_columns: Iterable[Any], sparse_combiner: str = "sum"
) -> Callable[..., Any]:
    """A function that makes the logits of a `LinearEstimator`, for a model_fn of one's own.

    Args:
      units: The size of the last dimension of the logits.
      feature_columns: Numeric, bucketized, categorical and crossed columns.
      sparse_combiner: How the weights of several categories of an example are combined: "sum",
        "mean" or "sqrtn".

    Returns:
      A function of ``features`` that returns logits [batch_size, units]. It makes variables
      "linear_model/<column>/weights" and "linear_model/bias_weights" in the variable scope in which
      it is called.

    Raises:
      ValueError: If units is no int.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int. Received: {units!r}")
    columns = tuple(feature_columns)

    def linear_logit_fn(features: Any) -> Any:
        made: dict[Any, Any] = {}
        logits = tf.feature_column.linear_model(
            features, columns, units=units, sparse_combiner=sparse_combiner, cols_to_vars=made
        )
        summarize_weights(made)
        return logits

    return linear_logit_fn


#: Its name until TF 1.13.
_linear_logit_fn_builder = linear_logit_fn_builder


def summarize_weights(made: Mapping[Any, Any]) -> None:
    """The summaries of a linear model, of what ``linear_model`` put into cols_to_vars."""
    (bias,) = made["bias"]
    if bias.shape.num_elements() > 1:
        tf.summary.histogram("bias", bias)
    else:
        tf.summary.scalar("bias", tf.squeeze(bias))
    columns = (variables for column, variables in made.items() if column != "bias")
    weights = [v for variables in columns for v in _parts(variables)]
    tf.summary.scalar("fraction_of_zero_weights", _zero_fraction(weights))


def _parts(variables: Any) -> list[Any]:
    """The variables of a column; partitioned ones part by part."""
    variables = variables if isinstance(variables, (list, tuple)) else [variables]
    return [part for v in variables for part in (v if _models.is_partitioned(v) else [v])]


def _zero_fraction(variables: Sequence[Any]) -> Any:
    zeros = [tf.size(v, out_type=tf.int64) - tf.math.count_nonzero(v) for v in variables]
    sizes = [tf.size(v, out_type=tf.int64) for v in variables]
    return tf.cast(tf.add_n(zeros) / tf.add_n(sizes), tf.float32)


def _linear_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Sequence[Any],
    optimizer: Any = "Ftrl",
    partitioner: Any = None,
    config: Any = None,
    sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model_fn of `LinearEstimator`."""
    _models.check_features(features)
    if not feature_columns:
        raise ValueError("feature_columns must not be empty. Received: []")
    partitioner = _models.input_partitioner(config, partitioner)
    if isinstance(optimizer, LinearSDCA):
        with tf.variable_scope("linear", values=tuple(features.values()), partitioner=partitioner):
            return sdca_model_fn(features, labels, mode, head, feature_columns, optimizer)
    optimizer = optimizers.get_optimizer_instance(optimizer, learning_rate(feature_columns))
    with tf.variable_scope("linear", values=tuple(features.values()), partitioner=partitioner):
        logit_fn = linear_logit_fn_builder(head.logits_dimension, feature_columns, sparse_combiner)
        logits = logit_fn(features=features)
        # Within the scope, as in TF1: the keys of partitioned variables' slots hang on it.
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits
        )


class LinearEstimator(Estimator):
    """A linear model on feature columns, with any head.

    Its variables are called "linear/linear_model/<column>/weights" and
    "linear/linear_model/bias_weights": checkpoints are exchanged with TF 1.15.
    """

    def __init__(
        self,
        head: Any,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim` or of `contrib.estimator`.
          feature_columns: Numeric, bucketized, categorical and crossed columns.
          model_dir: See `Estimator`.
          optimizer: A name ("Ftrl", with a learning rate of min(0.2, 1/√columns); "Adagrad",
            "Adam", "RMSProp", "SGD"), a ``tf.compat.v1.train.Optimizer``, a function that
            returns one, or `LinearSDCA` (for a binary or regression head of one dimension).
          config: See `Estimator`.
          partitioner: Of the columns' variables; None: by 64 MiB over parameter servers.
          sparse_combiner: See `linear_logit_fn_builder`.
        """
        self._make(
            head, feature_columns, model_dir, optimizer, config, partitioner, None, sparse_combiner
        )

    def _make(
        self,
        head: Any,
        feature_columns: Any,
        model_dir: str | None,
        optimizer: Any,
        config: Any,
        partitioner: Any,
        warm_start_from: Any,
        sparse_combiner: str,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _linear_model_fn(
                features, labels, mode, head, tuple(feature_columns or []), optimizer, partitioner,
                config, sparse_combiner,
            )  # fmt: skip

        Estimator.__init__(
            self,
            model_fn=model_fn,
            model_dir=model_dir,
            config=config,
            warm_start_from=warm_start_from,
        )


class LinearClassifier(LinearEstimator):
    """A linear classifier on feature columns.

    Labels are integers [batch_size, 1] or [batch_size], or strings with a ``label_vocabulary``.
    Predictions and metrics are those of `BinaryClassHead` or `MultiClassHead`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          feature_columns: See `LinearEstimator`.
          model_dir: See `Estimator`.
          n_classes: The number of classes.
          weight_column: The name of a feature, or a ``numeric_column``, by which losses and metrics
            of an example are multiplied.
          label_vocabulary: The names of the classes, if labels are strings.
          optimizer: See `LinearEstimator`.
          config: See `Estimator`.
          partitioner: See `LinearEstimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: One of ``tf.compat.v1.losses.Reduction``; the sum by default.
          sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If n_classes is less than 2 or loss_reduction unknown, or `LinearSDCA` does
            not fit.
        """
        check_sdca(optimizer, n_classes if n_classes > 2 else 1, sparse_combiner)
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        self._make(
            head, feature_columns, model_dir, optimizer, config, partitioner, warm_start_from,
            sparse_combiner,
        )  # fmt: skip


class LinearRegressor(LinearEstimator):
    """A linear regressor on feature columns.

    Labels are numbers [batch_size, label_dimension]; predictions and metrics are those of
    `RegressionHead`.
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        """Nothing is built yet.

        Args:
          feature_columns: See `LinearEstimator`.
          model_dir: See `Estimator`.
          label_dimension: The number of targets.
          weight_column: See `LinearClassifier`.
          optimizer: See `LinearEstimator`.
          config: See `Estimator`.
          partitioner: See `LinearEstimator`.
          warm_start_from: See `Estimator`.
          loss_reduction: See `LinearClassifier`.
          sparse_combiner: See `linear_logit_fn_builder`.

        Raises:
          ValueError: If label_dimension is less than 1 or loss_reduction unknown, or `LinearSDCA`
            does not fit.
        """
        check_sdca(optimizer, label_dimension, sparse_combiner)
        head = heads._regression_head(weight_column, label_dimension, loss_reduction)
        self._make(
            head, feature_columns, model_dir, optimizer, config, partitioner, warm_start_from,
            sparse_combiner,
        )  # fmt: skip
