"""`LinearSDCA`: linear models trained by stochastic dual coordinate ascent.

Shalev-Shwartz and Zhang, Stochastic Dual Coordinate Ascent Methods for Regularized Loss
Minimization, 2013.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._column_state import Transformed, Variables
from migrate.estimator_shim.canned import _sdca
from migrate.estimator_shim.head._core import (
    BinaryCore,
    LogisticCore,
    PoissonCore,
    RegressionCore,
)
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec

__all__ = ["LinearSDCA"]


class LinearSDCA:
    """An optimizer for `LinearClassifier` (two classes) and `LinearRegressor` (one target).

    It is no ``tf.compat.v1.train.Optimizer``: it sees the whole model. ::

        sdca = LinearSDCA("id", symmetric_l2_regularization=2.0)
        est = LinearClassifier(columns, optimizer=sdca)

    Features must hold, under ``example_id_column``, a string [batch_size] that tells examples
    apart: for each the optimizer keeps four numbers, also in checkpoints.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        """Nothing is built yet.

        Args:
          example_id_column: The feature that tells examples apart.
          num_loss_partitions: The number of workers that train at a time.
          num_table_shards: Over how many tables the examples' numbers are spread; None for one.
          symmetric_l1_regularization: At least 0.
          symmetric_l2_regularization: Above 0; 1 and more is usual.
          adaptive: Whether examples are drawn by how much there is to gain.
        """
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive

    def get_train_step(
        self,
        state_manager: Any,
        weight_column_name: str | None,
        loss_type: str,
        feature_columns: Sequence[Any],
        features: Mapping[str, Any],
        targets: Any,
        bias_var: Any,
        global_step: Any,
    ) -> tuple[Any, Any]:
        """Builds a step of training.

        Args:
          state_manager: Knows the columns' variables: ``get_variable(column, "weights")``.
          weight_column_name: The feature that weights examples; None for none.
          loss_type: "logistic_loss" or "squared_loss".
          feature_columns: Numeric and categorical columns.
          features: Name -> tensor.
          targets: The labels, [batch_size] or [batch_size, 1].
          bias_var: The model's bias.
          global_step: It is incremented.

        Returns:
          The model of dual variables, and the operation of a step.

        Raises:
          ValueError: If the example ids are no feature, or a column is of a kind that does not fit.
        """
        if self._example_id_column not in features:
            raise ValueError(
                f"example_id_column must be one of the features {sorted(features)}. "
                f"Received: {self._example_id_column!r}"
            )
        size = tf.shape(targets)[0]
        cache = Transformed(features)
        sparse, dense = [], []
        for column in sorted(feature_columns, key=lambda c: c.name):
            if hasattr(column, "num_buckets"):
                found = column.get_sparse_tensors(cache, state_manager)
                feature = _sdca.sparse_feature(found.id_tensor, found.weight_tensor)
                sparse.append((feature, state_manager.get_variable(column, "weights")))
            elif hasattr(column, "get_dense_tensor"):
                if column.variable_shape.rank != 1:
                    raise ValueError(
                        f"LinearSDCA takes numeric columns of rank 1. Received: {column!r}"
                    )
                value = column.get_dense_tensor(cache, state_manager)
                dense.append((value, state_manager.get_variable(column, "weights")))
            else:
                raise ValueError(
                    f"LinearSDCA takes numeric and categorical columns. Received: {column!r}"
                )
        dense.append((tf.ones([size, 1]), bias_var))
        weights = tf.ones([size])
        if weight_column_name:
            weights = tf.reshape(features[weight_column_name], [-1])
        options = _sdca.Options(
            loss_type,
            self._symmetric_l1_regularization,
            self._symmetric_l2_regularization,
            self._num_loss_partitions,
            self._num_table_shards,
            self._adaptive,
        )
        labels = tf.cast(tf.reshape(targets, [-1]), tf.float32)
        ids = features[self._example_id_column]
        model = _sdca.SdcaModel(options, ids, labels, weights, sparse, dense)
        return model, model.minimize(global_step)


def check_sdca(optimizer: Any, dimension: int, sparse_combiner: str) -> None:
    """Raises ValueError if the optimizer is a `LinearSDCA` for which a model has no room."""
    if not isinstance(optimizer, LinearSDCA):
        return
    if sparse_combiner != "sum":
        raise ValueError(
            f"LinearSDCA needs the sparse_combiner 'sum'. Received: {sparse_combiner!r}"
        )
    if dimension != 1:
        raise ValueError(
            "LinearSDCA trains models of two classes or of one target. "
            f"Received: {dimension} classes or targets"
        )


class _Weights(Variables):
    """The variables that ``linear_model`` made."""

    def __init__(self, made: Mapping[Any, Any]) -> None:
        super().__init__([], True)
        self._weights = made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A column's weights, or the partitions of these."""
        if name != "weights" or feature_column not in self._weights:
            return super().get_variable(feature_column, name)
        found = self._weights[feature_column]
        return found[0] if len(found) == 1 else found


def sdca_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Sequence[Any],
    optimizer: LinearSDCA,
) -> EstimatorSpec:
    """The model_fn of `LinearEstimator` with a `LinearSDCA`, in the present variable scope.

    Raises:
      ValueError: If the head is none of two classes or of one target.
    """
    from migrate.estimator_shim.canned.linear import summarize_weights

    squared = isinstance(head, RegressionCore) and not isinstance(head, (PoissonCore, LogisticCore))
    if isinstance(head, BinaryCore):
        loss_type = "logistic_loss"
    elif squared and head.logits_dimension == 1:
        loss_type = "squared_loss"
    else:
        raise ValueError(f"LinearSDCA has no loss for this head. Received: {head!r}")
    made: dict[Any, Any] = {}
    logits = tf.feature_column.linear_model(features, feature_columns, cols_to_vars=made)
    summarize_weights(made)
    if mode != ModeKeys.TRAIN:
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, logits=logits
        )
    model, train_op = optimizer.get_train_step(
        _Weights(made), head._weight_column, loss_type, feature_columns, features, labels,
        made["bias"][0], tf.train.get_global_step(),
    )  # fmt: skip
    spec = head.create_estimator_spec(
        features=features, mode=mode, labels=labels, train_op_fn=lambda _: train_op, logits=logits
    )
    hook = _sdca.UpdateWeightsHook(model, train_op)
    return spec._replace(training_chief_hooks=(*spec.training_chief_hooks, hook))
