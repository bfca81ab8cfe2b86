"""`BaselineClassifier`, `BaselineRegressor`, `BaselineEstimator`: they learn the labels' mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models, optimizers
from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["BaselineClassifier", "BaselineEstimator", "BaselineRegressor"]

_LEARNING_RATE = 0.3
_SUM = tf.losses.Reduction.SUM


def batch_size(features: Any) -> Any:
    """How many examples there are, by the first feature."""
    first = next(iter(features.values()))
    if isinstance(first, tf.SparseTensor):
        return first.dense_shape[0]
    return tf.shape(first)[0]


class BaselineEstimator(Estimator):
    """Ignores the features and learns a bias, with any head: what other models must beat.

    Its only variable is "baseline/bias", float [logits_dimension].
    """

    def __init__(
        self, head: Any, model_dir: str | None = None, optimizer: Any = "Ftrl", config: Any = None
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `migrate.estimator_shim` or of `contrib.estimator`.
          model_dir: See `Estimator`.
          optimizer: A name ("Ftrl", "Adagrad", "Adam", "RMSProp", "SGD", with a learning rate of
            0.3), a ``tf.compat.v1.train.Optimizer``, or a function that returns one.
          config: See `Estimator`.
        """

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            _models.check_features(features)
            made = optimizers.get_optimizer_instance(optimizer, _LEARNING_RATE)
            with tf.variable_scope("baseline", values=tuple(features.values())):
                bias = tf.get_variable(
                    "bias", [head.logits_dimension], initializer=tf.zeros_initializer()
                )
                logits = tf.expand_dims(bias, 0) * tf.ones([batch_size(features), 1])
            return head.create_estimator_spec(
                features=features, mode=mode, labels=labels, logits=logits, optimizer=made
            )

        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class BaselineClassifier(BaselineEstimator):
    """Learns how frequent the classes are.

    Labels, predictions and metrics are those of `BinaryClassHead` or `MultiClassHead`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = _SUM,
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: See `Estimator`.
          n_classes: The number of classes.
          weight_column: See `DNNClassifier`.
          label_vocabulary: The names of the classes, if labels are strings.
          optimizer: See `BaselineEstimator`.
          config: See `Estimator`.
          loss_reduction: One of ``tf.compat.v1.losses.Reduction``; the sum by default.

        Raises:
          ValueError: If n_classes is less than 2 or loss_reduction unknown.
        """
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)


class BaselineRegressor(BaselineEstimator):
    """Learns the mean of the targets.

    Labels, predictions and metrics are those of `RegressionHead`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = _SUM,
    ) -> None:
        """Nothing is built yet.

        Args:
          model_dir: See `Estimator`.
          label_dimension: The number of targets.
          weight_column: See `DNNClassifier`.
          optimizer: See `BaselineEstimator`.
          config: See `Estimator`.
          loss_reduction: See `BaselineClassifier`.

        Raises:
          ValueError: If label_dimension is less than 1 or loss_reduction unknown.
        """
        head = heads._regression_head(weight_column, label_dimension, loss_reduction)
        super().__init__(head, model_dir, optimizer, config)
