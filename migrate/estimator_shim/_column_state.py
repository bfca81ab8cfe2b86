"""What feature columns ask of a layer: a cache of transformed features, a manager of variables.

Columns of ``tf.feature_column`` compute themselves from the two; Keras 2's layers had them. These
make variables with ``tf.compat.v1.get_variable``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf


class Transformed:
    """Features, and what columns made of them: the cache that columns ask."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        self._features = features
        self._done: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: Any = None) -> Any:
        """A feature by its name, or what a column makes of its features."""
        if key not in self._done:
            if isinstance(key, str):
                self._done[key] = self._raw(key)
            else:
                self._done[key] = key.transform_feature(self, state_manager)
        return self._done[key]

    def _raw(self, key: str) -> Any:
        if key not in self._features:
            raise ValueError(f"The feature {key!r} is missing. Received: {sorted(self._features)}")
        value = self._features[key]
        if isinstance(value, (tf.SparseTensor, tf.SparseTensorValue)):
            return tf.SparseTensor.from_value(value)
        value = tf.convert_to_tensor(value)
        return tf.expand_dims(value, -1) if value.shape.rank == 1 else value


class Variables:
    """The variables of columns, made in the present variable scope."""

    def __init__(self, collections: list[str], trainable: bool) -> None:
        self._collections, self._trainable = collections, trainable
        self._made: dict[Any, dict[str, Any]] = {}

    def create_variable(
        self, feature_column: Any, name: str, shape: Any, dtype: Any = None, trainable: bool = True,
        use_resource: bool = True, initializer: Any = None,
    ) -> Any:  # fmt: skip
        """Makes a column's variable; partitioned as the scope says."""
        del use_resource
        variable = tf.get_variable(
            name, shape=shape, dtype=dtype or tf.float32, initializer=initializer,
            trainable=self._trainable and trainable, collections=self._collections,
        )  # fmt: skip
        self._made.setdefault(feature_column, {})[name] = variable
        return variable

    def get_variable(self, feature_column: Any, name: str) -> Any:
        """A variable that was made."""
        return self._made[feature_column][name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keeps a column's table."""
        self._made.setdefault(feature_column, {})[name] = resource

    def has_resource(self, feature_column: Any, name: str) -> bool:
        """Whether a column has that table already."""
        return name in self._made.get(feature_column, {})

    def get_resource(self, feature_column: Any, name: str) -> Any:
        """A column's table."""
        return self._made[feature_column][name]


def input_layer(features: Mapping[str, Any], feature_columns: Iterable[Any]) -> Any:
    """The dense input of a network, as Keras 2's ``DenseFeatures`` made it.

    Unlike ``tf.compat.v1.feature_column.input_layer`` it takes ``shared_embeddings`` of TF 2.

    Args:
      features: Name -> tensor.
      feature_columns: Dense columns.

    Returns:
      float [batch_size, dimensions], with the columns in the order of their names. Variables are
      called "input_layer/<column>/embedding_weights" in the present variable scope.

    Raises:
      ValueError: If a column is not dense.
    """
    columns = sorted(feature_columns, key=lambda c: c.name)
    if not columns:
        raise ValueError("feature_columns must not be empty. Received: []")
    cache, manager = Transformed(features), Variables([tf.GraphKeys.GLOBAL_VARIABLES], True)
    outputs = []
    with tf.variable_scope("input_layer"):
        for column in columns:
            if not hasattr(column, "get_dense_tensor"):
                raise ValueError(
                    "feature_columns must be dense: put categorical ones into an indicator_column "
                    f"or an embedding_column. Received: {column!r}"
                )
            with tf.variable_scope(column.name):
                column.create_state(manager)
                value = column.get_dense_tensor(cache, manager)
                size = column.variable_shape.num_elements()
                outputs.append(tf.reshape(value, [tf.shape(value)[0], size]))
        return tf.concat(outputs, 1)
