"""``tf.contrib.feature_column``: sequences in ``tf.feature_column``'s columns."""

from __future__ import annotations

from typing import Any

import tensorflow
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.feature_column")

sequence_categorical_column_with_hash_bucket = (
    tf.feature_column.sequence_categorical_column_with_hash_bucket
)
sequence_categorical_column_with_identity = (
    tf.feature_column.sequence_categorical_column_with_identity
)
sequence_categorical_column_with_vocabulary_file = (
    tf.feature_column.sequence_categorical_column_with_vocabulary_file
)
sequence_categorical_column_with_vocabulary_list = (
    tf.feature_column.sequence_categorical_column_with_vocabulary_list
)
sequence_numeric_column = tf.feature_column.sequence_numeric_column

# What columns need beside the features is public in TF 2's namespace only.
_columns: Any = tensorflow.__internal__.feature_column


_StateManager: Any = _columns.StateManager


class _Variables(_StateManager):
    """Makes the columns' variables in the current scope."""

    def __init__(self, collections: Any, trainable: bool) -> None:
        self._made: dict[tuple[str, str], Any] = {}
        self._resources: dict[tuple[str, str], Any] = {}
        self._collections, self._trainable = collections, trainable

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        del use_resource
        variable = tf.get_variable(
            name,
            shape,
            dtype,
            initializer,
            trainable=self._trainable and trainable,
            collections=self._collections,
        )
        self._made[feature_column.name, name] = variable
        return variable

    def get_variable(self, feature_column: Any, name: str) -> Any:
        return self._made[feature_column.name, name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        self._resources[feature_column.name, name] = resource

    def has_resource(self, feature_column: Any, name: str) -> bool:
        return (feature_column.name, name) in self._resources

    def get_resource(self, feature_column: Any, name: str) -> Any:
        return self._resources[feature_column.name, name]


def sequence_input_layer(
    features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True
) -> tuple[Any, Any]:
    """The inputs of a recurrent network: columns side by side, in the order of their names.

    Args:
      features: From names to tensors, of which categorical ones are sparse (batch, time).
      feature_columns: `sequence_numeric_column`, or ``embedding_column`` and ``indicator_column``
        of the categorical ones.
      weight_collections: Further collections of the variables.
      trainable: Whether the variables are trained.

    Returns:
      (batch, time, sum of sizes), and the lengths int64 (batch).

    Raises:
      ValueError: If there is no column, or one is not for sequences.
    """
    columns = sorted(feature_columns, key=lambda column: column.name)
    if not columns:
        raise ValueError("feature_columns must not be empty")
    for column in columns:
        if not isinstance(column, _columns.SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence "
                f"categorical column with an embedding_column or indicator_column. Given: {column}"
            )
    collections = [*(weight_collections or ()), tf.GraphKeys.GLOBAL_VARIABLES]
    values = [v.values if isinstance(v, tf.SparseTensor) else v for v in features.values()]
    with tf.variable_scope(None, default_name="sequence_input_layer", values=values):
        cache = _columns.FeatureTransformationCache(features)
        outputs, lengths = [], []
        for column in columns:
            with tf.variable_scope(None, default_name=column.name):
                state = _Variables(collections, trainable)
                column.create_state(state)
                found = column.get_sequence_dense_tensor(cache, state)
                size = column.variable_shape.num_elements()
                shape = tf.concat([tf.shape(found.dense_tensor)[:2], [size]], 0)
                outputs.append(tf.reshape(found.dense_tensor, shape))
                lengths.append(found.sequence_length)
        length = lengths[0]
        checks = [
            tf.debugging.assert_equal(length, other, message="Sequence lengths must match")
            for other in lengths[1:]
        ]
        with tf.control_dependencies(checks):
            return tf.concat(outputs, -1), tf.identity(length)
