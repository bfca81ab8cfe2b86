"""``tf.contrib.layers``: embeddings whose elements are hashed, each by itself, into one vector."""

from __future__ import annotations

import collections
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib.layers._feature_column_core import Dense
from migrate.tf1_shim.contrib.layers._feature_columns import FeatureColumn, Lazy
from migrate.tf1_shim.contrib.layers._feature_crosses import sparse_feature_cross

#: What examples without a value are given, as in TF1.
_NOTHING = {tf.string: "6ZxWzWOHxZ"}
_NO_NUMBER = 1288896567
_COMBINERS = {
    "mean": tf.sparse.segment_mean,
    "sqrtn": tf.sparse.segment_sqrt_n,
    "sum": tf.sparse.segment_sum,
}


class _ScatteredEmbeddingColumn(
    FeatureColumn,
    Dense,
    collections.namedtuple(
        "_ScatteredEmbeddingColumn",
        ["column_name", "size", "dimension", "hash_key", "combiner", "initializer"],
    ),
):
    """A feature of strings, embedded without a vocabulary."""

    @property
    def width(self) -> int:
        """The size of its dense tensor's last axis."""
        size: int = self.dimension
        return size

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        from migrate.tf1_shim.contrib.layers import _feature_column_ops as ops

        how = self.deep(inputs.get(self))
        return ops.embedded(self, how, weight_collections, trainable is not False, 2)

    @property
    def name(self) -> str:
        return f"{self.column_name}_scattered_embedding"

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: tf.io.VarLenFeature(tf.string)}

    @property
    def key(self) -> str:
        return self._key_without("initializer")

    def _transform(self, inputs: Lazy) -> Any:
        return inputs.get(self.column_name)

    def deep(self, tensor: Any) -> dict[str, Any]:
        return {
            "ids": tensor,
            "weights": None,
            "shape": [self.size],
            "initializer": self.initializer,
            "shared": None,
            "trainable": True,
        }

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        raise ValueError(f"A linear model takes a sparse column instead. Received: {self}")

    def looked_up(self, values: Any, parts: list[Any]) -> Any:
        """The embeddings of each example's values, combined.

        Args:
          values: A ``SparseTensor`` [batch, n] of strings or integers.
          parts: The vector, in one part or several: float32, ``size`` numbers in all.

        Returns:
          A tensor [batch, dimension].

        Raises:
          TypeError: If the values are not sparse.
        """
        if not isinstance(values, tf.SparseTensor):
            raise TypeError(f"{self.name} takes a SparseTensor. Received: {values!r}")
        with tf.name_scope("lookup"):
            nothing = _NOTHING.get(values.dtype, _NO_NUMBER)
            values, _ = tf.sparse.fill_empty_rows(values, tf.constant(nothing, values.dtype))
            distinct, which = tf.unique(values.values)
            embeddings = tf.nn.embedding_lookup(
                parts, self._places(distinct), partition_strategy="div"
            )
            combine = _COMBINERS[self.combiner]
            return combine(embeddings, which, tf.cast(values.indices[:, 0], tf.int32))

    def _places(self, values: Any) -> Any:
        """Where in the vector the elements of each value's embedding are: int64 [n, dimension]."""
        count = tf.size(values, out_type=tf.int64)
        wide = tf.constant(self.dimension, tf.int64)
        numbers = tf.tile(tf.range(wide), [count])
        rows = tf.range(count)
        elements = tf.SparseTensor(
            tf.stack([tf.repeat(rows, self.dimension), numbers], 1),
            numbers,
            tf.stack([count, wide]),
        )
        one = tf.constant(1, tf.int64)
        each = tf.SparseTensor(
            tf.stack([rows, tf.zeros_like(rows)], 1), values, tf.stack([count, one])
        )
        crossed = sparse_feature_cross([elements, each], self.size, self.hash_key)
        return tf.reshape(crossed.values, [-1, self.dimension])
