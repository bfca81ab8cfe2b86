"""``tf.contrib.linear_optimizer``: stochastic dual coordinate ascent for linear models.

TF 2.21 has the kernel (``SdcaOptimizerV2``); what TF1 had around it is in
`migrate.estimator_shim.canned._sdca`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _sdca
from migrate.tf1_shim.contrib.layers import _feature_columns as columns

__all__ = ["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"]

SparseFeatureColumn = _sdca.SparseFeature


#: The kernel's algorithm needs that much of L2.
_LEAST_L2 = 1.0
_SLOT = "_unshrinked/SDCAOptimizer"


def _options(
    loss_type: str, l1: float, l2: float, partitions: int, shards: int | None, adaptive: bool
) -> _sdca.Options:
    if l2 < 0.0:
        raise ValueError(f"symmetric_l2_regularization must not be below 0. Received: {l2!r}")
    l2 = max(l2, _LEAST_L2)
    return _sdca.Options(loss_type, l1, l2, partitions, shards, adaptive, _SLOT)


class SDCAOptimizer:
    """The optimizer of contrib.learn's linear models and of its `SVM`.

    Features must hold, under ``example_id_column``, a string [batch_size] that tells examples
    apart.
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          example_id_column: The feature that tells examples apart.
          num_loss_partitions: The number of workers that train at a time.
          num_table_shards: Over how many tables the examples' numbers are spread; None for one.
          symmetric_l1_regularization: At least 0.
          symmetric_l2_regularization: At least 0; less than 1 trains as 1, as in TF1.
          adaptive: Whether examples are drawn by how much there is to gain.
          partitioner: Of the weights.
        """
        self.example_id_column = example_id_column
        self.num_loss_partitions = num_loss_partitions
        self.num_table_shards = num_table_shards
        self.symmetric_l1_regularization = symmetric_l1_regularization
        self.symmetric_l2_regularization = symmetric_l2_regularization
        self.adaptive = adaptive
        self.partitioner = partitioner

    def get_name(self) -> str:
        """ "SDCAOptimizer"."""
        return "SDCAOptimizer"

    def get_train_step(
        self,
        columns_to_variables: Mapping[Any, Any],
        weight_column_name: str | None,
        loss_type: str,
        features: Mapping[Any, Any],
        targets: Any,
        global_step: Any,
    ) -> tuple[Any, Any]:
        """Builds a step of training.

        Args:
          columns_to_variables: The columns of contrib.layers, each with the list of its variables.
          weight_column_name: The feature that weights examples; None for none.
          loss_type: One of "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" and
            "poisson_loss".
          features: What the columns made of the features, and the features by name.
          targets: The labels, [batch_size] or [batch_size, 1].
          global_step: It is incremented.

        Returns:
          The model, and the operation of a step.

        Raises:
          ValueError: If a column is not of a kind that fits.
        """
        sparse, dense = [], []
        for column in sorted(columns_to_variables, key=lambda c: c.key):
            tensor, variables = features[column], columns_to_variables[column]
            variable = variables[0] if len(variables) == 1 else list(variables)
            if isinstance(column, columns._RealValuedColumn):
                dense.append((tf.reshape(tensor, [tf.shape(tensor)[0], -1]), variables[0]))
            elif isinstance(column, columns._BucketizedColumn):
                ids = column.to_sparse_tensor(tensor)
                sparse.append((_sdca.sparse_feature(ids), variable))
            elif hasattr(column, "id_tensor"):
                weights = column.weight_tensor(tensor)
                feature = _sdca.sparse_feature(column.id_tensor(tensor), weights)
                sparse.append((feature, variable))
            else:
                raise ValueError(
                    "SDCAOptimizer takes real-valued, bucketized and categorical columns. "
                    f"Received: {column!r}"
                )
        options = _options(
            loss_type,
            self.symmetric_l1_regularization,
            self.symmetric_l2_regularization,
            self.num_loss_partitions,
            self.num_table_shards,
            self.adaptive,
        )
        labels = tf.cast(tf.reshape(targets, [-1]), tf.float32)
        weights = tf.ones_like(labels)
        if weight_column_name:
            weights = tf.reshape(features[weight_column_name], [-1])
        ids = features[self.example_id_column]
        model = _sdca.SdcaModel(options, ids, labels, weights, sparse, dense)
        return model, model.minimize(global_step)


class SdcaModel(_sdca.SdcaModel):
    """A linear model and its dual variables, from dicts as in TF1."""

    def __init__(
        self,
        examples: Mapping[str, Any],
        variables: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        """Builds tables and slots.

        Args:
          examples: "sparse_features" (`SparseFeatureColumn` objects), "dense_features" (float32
            [batch_size, n] each), "example_labels", "example_weights", "example_ids".
          variables: "sparse_features_weights", "dense_features_weights".
          options: "loss_type", "symmetric_l1_regularization", "symmetric_l2_regularization", and
            maybe "num_loss_partitions", "num_table_shards", "adaptive".

        Raises:
          ValueError: If something is missing or out of its range.
        """
        needed = (
            (examples, "sparse_features"),
            (examples, "dense_features"),
            (examples, "example_labels"),
            (examples, "example_weights"),
            (examples, "example_ids"),
            (variables, "sparse_features_weights"),
            (variables, "dense_features_weights"),
            (options, "loss_type"),
            (options, "symmetric_l1_regularization"),
            (options, "symmetric_l2_regularization"),
        )
        for found, name in needed:
            if not found or found.get(name) is None:
                raise ValueError(f"SdcaModel needs {name!r}. Received: {found!r}")
        sparse_weights = variables["sparse_features_weights"]
        dense_weights = variables["dense_features_weights"]
        super().__init__(
            _options(
                options["loss_type"],
                options["symmetric_l1_regularization"],
                options["symmetric_l2_regularization"],
                options.get("num_loss_partitions", 1),
                options.get("num_table_shards"),
                options.get("adaptive", True),
            ),
            examples["example_ids"],
            tf.cast(examples["example_labels"], tf.float32),
            tf.cast(examples["example_weights"], tf.float32),
            list(zip(examples["sparse_features"], sparse_weights, strict=True)),
            list(zip(examples["dense_features"], dense_weights, strict=True)),
        )

        self._dense_weights, self._sparse_weights = dense_weights, sparse_weights
        self._loss = options["loss_type"]
        self._l1 = options["symmetric_l1_regularization"]
        self._l2 = options["symmetric_l2_regularization"]

    def _linear(self, examples: Mapping[str, Any]) -> Any:
        size = tf.shape(examples["example_ids"])[0]
        total = tf.zeros([size])
        for feature, weights in zip(examples["sparse_features"], self._sparse_weights, strict=True):
            values = tf.gather(_sdca.whole(weights), feature.feature_indices)
            if feature.feature_values is not None:
                values = values * feature.feature_values
            total += tf.math.unsorted_segment_sum(
                tf.reshape(values, [-1]), feature.example_indices, size
            )
        for tensor, weights in zip(examples["dense_features"], self._dense_weights, strict=True):
            column = tf.reshape(_sdca.whole(weights), [-1, 1])
            total += tf.squeeze(tf.matmul(tensor, column), 1)
        return total

    def predictions(self, examples: Mapping[str, Any]) -> Any:
        """What the model says of examples.

        Args:
          examples: As in the constructor.

        Returns:
          float32 [batch_size]: probabilities with the logistic loss, rates with the Poisson loss,
          else the linear predictions.
        """
        found = self._linear(examples)
        if self._loss == "logistic_loss":
            return tf.sigmoid(found)
        return tf.exp(found) if self._loss == "poisson_loss" else found

    def unregularized_loss(self, examples: Mapping[str, Any]) -> Any:
        """The loss per weight of examples, double [].

        Args:
          examples: As in the constructor.

        Returns:
          The mean.
        """
        found = tf.cast(self._linear(examples), tf.float64)
        labels = tf.cast(examples["example_labels"], tf.float64)
        weights = tf.cast(examples["example_weights"], tf.float64)
        if self._loss == "logistic_loss":
            each = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=found)
        elif self._loss == "poisson_loss":
            each = tf.nn.log_poisson_loss(labels, found)
        elif self._loss == "squared_loss":
            each = tf.square(labels - found) / 2.0
        else:
            each = tf.nn.relu(1.0 - (2.0 * labels - 1.0) * found)
        return tf.reduce_sum(each * weights) / tf.reduce_sum(weights)

    def regularized_loss(self, examples: Mapping[str, Any]) -> Any:
        """The loss per weight of examples with both regularizations, double [].

        Args:
          examples: As in the constructor.

        Returns:
          The mean.
        """
        weights = tf.cast(tf.reduce_sum(examples["example_weights"]), tf.float64)
        return self.penalty(self._l1, self._l2) / weights + self.unregularized_loss(examples)
