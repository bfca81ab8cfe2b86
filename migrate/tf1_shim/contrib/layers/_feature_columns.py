"""``tf.contrib.layers``: contrib's feature columns.

Columns are tuples. Layers take them in the order of their keys, which are their representations in
TF1; so the classes keep the names that they had there.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim.contrib import lookup
from migrate.tf1_shim.contrib.layers._compose import dense_to_sparse
from migrate.tf1_shim.contrib.layers._feature_column_core import Categorical, Dense
from migrate.tf1_shim.contrib.layers._feature_crosses import sparse_feature_cross

__all__ = ["FeatureColumn", "inner_flatten", "reshape_real_valued"]


def inner_flatten(tensor: Any, rank: int) -> Any:
    """A tensor, dense or sparse, whose last axes are one, so that it has the rank."""
    if isinstance(tensor, tf.SparseTensor):
        outer = tensor.dense_shape[: rank - 1]
        inner = tf.reduce_prod(tensor.dense_shape[rank - 1 :])
        return tf.sparse.reshape(tensor, tf.concat([outer, [inner]], 0))
    if tensor.shape.rank == rank:
        return tensor
    known = tensor.shape.as_list()
    inner = None if None in known[rank - 1 :] else math.prod(known[rank - 1 :])
    shape = tf.concat([tf.shape(tensor)[: rank - 1], [-1 if inner is None else inner]], 0)
    flat = tf.reshape(tensor, shape)
    flat.set_shape([*known[: rank - 1], inner])
    return flat


def reshape_real_valued(tensor: Any, rank: int, column: str) -> Any:
    """Numbers of the rank: one axis more, or the last ones joined.

    Raises:
      ValueError: If more than one axis is missing.
    """
    have = tensor.shape.rank
    if have is not None and rank > have + 1:
        raise ValueError(
            f"The input of {column} has rank {have}, where rank {rank} is needed: 2 for plain "
            "features, 3 for those of sequences"
        )
    if have is not None and rank == have + 1:
        tf.logging.warning("Column %s: rank %d where %d is expected", column, have, rank)
        return tf.expand_dims(tensor, -1, name="expand_dims")
    return inner_flatten(tensor, rank)


class FeatureColumn:
    """Base of the columns."""

    @property
    def name(self) -> str:
        """The column's name."""
        raise NotImplementedError

    @property
    def config(self) -> dict[str, Any]:
        """What ``tf.parse_example`` needs."""
        raise NotImplementedError

    @property
    def key(self) -> str:
        """By what columns are sorted and told apart."""
        return f"{self}"

    def _key_without(self, name: str) -> str:
        fields = self._asdict()  # type: ignore[attr-defined]
        pairs = [f"{k}={v}" for k, v in fields.items() if k != name]
        return f"{type(self).__name__}({', '.join(pairs)})"

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Add what the column makes of the features to them, under the column as the key.

        Args:
          columns_to_tensors: From names and columns to tensors.
        """
        columns_to_tensors[self] = self._transform(Lazy(columns_to_tensors))

    def _transform(self, inputs: Lazy) -> Any:
        raise NotImplementedError

    def deep(self, tensor: Any) -> dict[str, Any] | None:
        """How to embed it; None for columns that are dense already."""
        del tensor
        return None

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        """How a linear model looks it up; None for columns that are dense."""
        del tensor
        return None

    def dnn(self, tensor: Any, rank: int) -> Any:
        """The dense tensor for a layer of a network."""
        del tensor, rank
        raise ValueError(
            "A deep network needs dense inputs: put the column into embedding_column or "
            f"one_hot_column. Received: {self}"
        )

    def dense(self, tensor: Any) -> Any:
        """The dense tensor for a linear model."""
        raise NotImplementedError(f"No dense tensor representation for column {self}.")

    def checkpoint(self) -> tuple[str, str] | None:
        """Where the weights start: a checkpoint, and the name in it."""
        return None

    @property
    def parents(self) -> tuple[Any, ...]:
        """The columns that it is made of."""
        return ()


class Lazy:
    """Features by name, and what columns make of them, on demand."""

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """A feature, or what a column makes of one.

        Raises:
          ValueError: If there is no such feature.
        """
        if key not in self._tensors:
            if isinstance(key, str):
                raise ValueError(f"features dictionary doesn't contain key ({key})")
            key.insert_transformed_feature(self._tensors)
        return self._tensors[key]


def _zeros(tensor: Any, weights: Any, size: int, combiner: str) -> dict[str, Any]:
    start = tf.zeros_initializer()
    return {
        "ids": tensor,
        "weights": weights,
        "size": size,
        "initializer": start,
        "combiner": combiner,
    }


class _SparseIdLookupConfig(
    collections.namedtuple(
        "_SparseIdLookupConfig",
        ["vocabulary_file", "keys", "num_oov_buckets", "vocab_size", "default_value"],
    )
):
    """What a column with a vocabulary looks up."""


class _SparseColumn(
    FeatureColumn,
    Categorical,
    collections.namedtuple(
        "_SparseColumn",
        ["column_name", "is_integerized", "bucket_size", "lookup_config", "combiner", "dtype"],
    ),
):
    """A categorical feature."""

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def length(self) -> int:
        if self.bucket_size is not None:
            return self.bucket_size
        return self.lookup_config.vocab_size + self.lookup_config.num_oov_buckets

    @property
    def config(self) -> dict[str, Any]:
        return {self.column_name: tf.VarLenFeature(self.dtype)}

    def id_tensor(self, tensor: Any) -> Any:
        return tensor

    def weight_tensor(self, tensor: Any) -> Any:
        del tensor

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        return _zeros(tensor, None, self.length, self.combiner)

    def is_compatible(self, other: Any) -> bool:
        """Whether both can share an embedding."""
        if self.lookup_config and other.lookup_config:
            return bool(self.lookup_config == other.lookup_config)
        kinds = self.dtype == other.dtype or (self.dtype.is_integer and other.dtype.is_integer)
        if kinds and self.length == other.length:
            tf.logging.warning("Columns %s, %s: vocabularies may differ", self.name, other.name)
            return True
        return False

    def _transform(self, inputs: Lazy) -> Any:
        tensor = inputs.get(self.name)
        if not isinstance(tensor, tf.SparseTensor):
            ignore = "" if tensor.dtype == tf.string else -1
            flat = reshape_real_valued(tensor, 2, self.name)
            tensor = dense_to_sparse(flat, ignore)
        return self._ids(tensor)

    def _ids(self, tensor: Any) -> Any:
        raise NotImplementedError


def _with_values(tensor: Any, values: Any) -> Any:
    return tf.SparseTensor(tensor.indices, values, tensor.dense_shape)


def _strings(tensor: Any) -> Any:
    return tf.as_string(tensor.values) if tensor.dtype.is_integer else tensor.values


class _SparseColumnIntegerized(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        return _with_values(tensor, tf.mod(tensor.values, self.bucket_size, name="mod"))


class _SparseColumnHashed(_SparseColumn):
    hash_keys: Any = None

    def _ids(self, tensor: Any) -> Any:
        values = _strings(tensor)
        if self.hash_keys:
            parts = [
                _with_values(tensor, tf.string_to_hash_bucket_strong(values, self.bucket_size, key))
                for key in self.hash_keys
            ]
            return tf.sparse.concat(axis=1, sp_inputs=parts, name="lookup")
        return _with_values(
            tensor, tf.string_to_hash_bucket_fast(values, self.bucket_size, name="lookup")
        )


class _SparseColumnKeys(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        return lookup.index_table_from_tensor(
            mapping=tuple(self.lookup_config.keys),
            default_value=self.lookup_config.default_value,
            dtype=self.dtype,
            name="lookup",
        ).lookup(tensor)


class _SparseColumnVocabulary(_SparseColumn):
    def _ids(self, tensor: Any) -> Any:
        config = self.lookup_config
        return lookup.index_table_from_file(
            vocabulary_file=config.vocabulary_file,
            num_oov_buckets=config.num_oov_buckets,
            vocab_size=config.vocab_size,
            default_value=config.default_value,
            name=self.name + "_lookup",
        ).lookup(_with_values(tensor, _strings(tensor)))


class _WeightedSparseColumn(
    FeatureColumn,
    Categorical,
    collections.namedtuple(
        "_WeightedSparseColumn", ["sparse_id_column", "weight_column_name", "dtype"]
    ),
):
    """A categorical feature with a weight for each value."""

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_weighted_by_{self.weight_column_name}"

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    @property
    def lookup_config(self) -> Any:
        return self.sparse_id_column.lookup_config

    @property
    def config(self) -> dict[str, Any]:
        more = {self.weight_column_name: tf.VarLenFeature(self.dtype)}
        return {**self.sparse_id_column.config, **more}

    @property
    def parents(self) -> tuple[Any, ...]:
        return (self.sparse_id_column,)

    def id_tensor(self, tensor: Any) -> Any:
        return tensor[0]

    def weight_tensor(self, tensor: Any) -> Any:
        return tensor[1]

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        return _zeros(tensor[0], tensor[1], self.length, self.sparse_id_column.combiner)

    def is_compatible(self, other: Any) -> bool:
        """Whether both can share an embedding."""
        other = getattr(other, "sparse_id_column", other)
        return self.sparse_id_column.is_compatible(other)

    def _transform(self, inputs: Lazy) -> Any:
        weights = inputs.get(self.weight_column_name)
        ids = inputs.get(self.sparse_id_column)
        if not isinstance(weights, tf.SparseTensor):
            weights = dense_to_sparse(weights, 0)
        if not self.dtype.is_floating:
            weights = tf.cast(weights, tf.float32)
        return ids, weights


class _OneHotColumn(
    FeatureColumn, Dense, collections.namedtuple("_OneHotColumn", ["sparse_id_column"])
):
    """A categorical feature as counts (or sums of weights)."""

    @property
    def width(self) -> int:
        """The size of its dense tensor's last axis."""
        return self.length

    @property
    def name(self) -> str:
        return f"{self.sparse_id_column.name}_one_hot"

    @property
    def length(self) -> int:
        return self.sparse_id_column.length

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def parents(self) -> tuple[Any, ...]:
        return (self.sparse_id_column,)

    def _transform(self, inputs: Lazy) -> Any:
        return inputs.get(self.sparse_id_column)

    def dnn(self, tensor: Any, rank: int) -> Any:
        ids = inner_flatten(self.sparse_id_column.id_tensor(tensor), rank)
        weights = self.sparse_id_column.weight_tensor(tensor)
        if weights is None:
            dense = tf.sparse.to_dense(ids, default_value=-1)
            return tf.reduce_sum(tf.one_hot(dense, self.length), axis=[rank - 1])
        merged = tf.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=self.length)
        start = tf.zeros_like(merged.dense_shape)
        dense = tf.sparse.to_dense(tf.sparse.slice(merged, start, merged.dense_shape))
        return tf.reshape(dense, tf.concat([tf.shape(dense)[:-1], [self.length]], 0))


class _EmbeddingColumn(
    FeatureColumn,
    Dense,
    collections.namedtuple(
        "_EmbeddingColumn",
        [
            "sparse_id_column",
            "dimension",
            "combiner",
            "initializer",
            "ckpt_to_load_from",
            "tensor_name_in_ckpt",
            "shared_embedding_name",
            "shared_vocab_size",
            "max_norm",
            "trainable",
        ],
    ),
):
    """A categorical feature, embedded."""

    @property
    def width(self) -> int:
        """The size of its dense tensor's last axis."""
        return self.dimension

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        from migrate.tf1_shim.contrib.layers import _feature_column_ops as ops

        how = self.deep(inputs.get(self))
        assert how is not None
        return ops.embedded(self, how, weight_collections, trainable is not False, 2)

    @property
    def name(self) -> str:
        kind = "embedding" if self.shared_embedding_name is None else "shared_embedding"
        return f"{self.sparse_id_column.name}_{kind}"

    @property
    def length(self) -> int:
        if self.shared_vocab_size is None:
            return self.sparse_id_column.length
        return self.shared_vocab_size

    @property
    def config(self) -> dict[str, Any]:
        return self.sparse_id_column.config

    @property
    def key(self) -> str:
        return self._key_without("initializer")

    @property
    def parents(self) -> tuple[Any, ...]:
        return (self.sparse_id_column,)

    def _transform(self, inputs: Lazy) -> Any:
        return inputs.get(self.sparse_id_column)

    def deep(self, tensor: Any) -> dict[str, Any] | None:
        return {
            "ids": self.sparse_id_column.id_tensor(tensor),
            "weights": self.sparse_id_column.weight_tensor(tensor),
            "shape": [self.length, self.dimension],
            "initializer": self.initializer,
            "combiner": self.combiner,
            "shared": self.shared_embedding_name,
            "max_norm": self.max_norm,
            "trainable": self.trainable,
        }

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        raise ValueError(f"A linear model takes the sparse column itself. Received: {self}")

    def checkpoint(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt


class _RealValuedColumn(
    FeatureColumn,
    Dense,
    collections.namedtuple(
        "_RealValuedColumn", ["column_name", "dimension", "default_value", "dtype", "normalizer"]
    ),
):
    """Numbers."""

    @property
    def width(self) -> int:
        """The size of its dense tensor's last axis."""
        return self.dimension

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Any = None, trainable: Any = None
    ) -> Any:
        del weight_collections, trainable
        return inputs.get(self)

    @property
    def name(self) -> str:
        return self.column_name

    @property
    def config(self) -> dict[str, Any]:
        default = None if self.default_value is None else list(self.default_value)
        return {self.column_name: tf.FixedLenFeature([self.dimension], self.dtype, default)}

    @property
    def key(self) -> str:
        return self._key_without("normalizer")

    @property
    def normalizer_fn(self) -> Any:
        return self.normalizer

    def _transform(self, inputs: Lazy) -> Any:
        tensor = inputs.get(self.name)
        return tf.cast(self.normalizer(tensor) if self.normalizer else tensor, tf.float32)

    def dnn(self, tensor: Any, rank: int) -> Any:
        return reshape_real_valued(tensor, rank, self.name)

    def dense(self, tensor: Any) -> Any:
        return tensor


class _BucketizedColumn(
    FeatureColumn,
    Dense,
    Categorical,
    collections.namedtuple("_BucketizedColumn", ["source_column", "boundaries"]),
):
    """Numbers in buckets."""

    @property
    def width(self) -> int:
        """The size of its dense tensor's last axis."""
        return self.length * self.source_column.dimension

    @property
    def _num_buckets(self) -> int:
        return self.width

    def id_tensor(self, tensor: Any) -> Any:
        return self.to_sparse_tensor(tensor)

    def weight_tensor(self, tensor: Any) -> Any:
        del tensor

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def length(self) -> int:
        return len(self.boundaries) + 1

    @property
    def config(self) -> dict[str, Any]:
        return self.source_column.config

    @property
    def parents(self) -> tuple[Any, ...]:
        return (self.source_column,)

    def _transform(self, inputs: Lazy) -> Any:
        return tf.raw_ops.Bucketize(
            input=inputs.get(self.source_column), boundaries=list(self.boundaries)
        )

    def to_sparse_tensor(self, tensor: Any) -> Any:
        """The buckets as ids, one range of them for each number of the feature."""
        size = self.source_column.dimension
        batch = tf.shape(tensor)[0]
        row = tf.tile(tf.expand_dims(tf.range(0, batch), 1), [1, size])
        column = tf.tile(tf.range(0, size), [batch])
        ids = tf.reshape(tensor, [-1]) + self.length * column
        indices = tf.cast(tf.stack([tf.reshape(row, [-1]), column], 1), tf.int64)
        return tf.SparseTensor(indices, ids, tf.cast(tf.stack([batch, size]), tf.int64))

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        size = self.length * self.source_column.dimension
        return _zeros(self.to_sparse_tensor(tensor), None, size, "sum")

    def dnn(self, tensor: Any, rank: int) -> Any:
        if rank != 2:
            raise ValueError("BucketizedColumn currently only supports output_rank=2")
        hot = tf.one_hot(tf.cast(tensor, tf.int64), self.length, 1.0, 0.0, name="one_hot")
        return tf.reshape(hot, [-1, self.length * self.source_column.dimension], name="reshape")


class _CrossedColumn(
    FeatureColumn,
    Categorical,
    collections.namedtuple(
        "_CrossedColumn",
        [
            "columns",
            "hash_bucket_size",
            "hash_key",
            "combiner",
            "ckpt_to_load_from",
            "tensor_name_in_ckpt",
        ],
    ),
):
    """Combinations of categorical features, hashed."""

    @property
    def name(self) -> str:
        return "_X_".join(sorted(column.name for column in self.columns))

    @property
    def length(self) -> int:
        return self.hash_bucket_size

    @property
    def config(self) -> dict[str, Any]:
        return {k: v for column in self.columns for k, v in column.config.items()}

    @property
    def parents(self) -> tuple[Any, ...]:
        return tuple(self.columns)

    def id_tensor(self, tensor: Any) -> Any:
        return tensor

    def weight_tensor(self, tensor: Any) -> Any:
        del tensor

    def _leaves(self) -> list[Any]:
        return [
            leaf
            for column in self.columns
            for leaf in (column._leaves() if isinstance(column, _CrossedColumn) else [column])
        ]

    def _transform(self, inputs: Lazy) -> Any:
        tensors = [
            column.to_sparse_tensor(inputs.get(column))
            if isinstance(column, _BucketizedColumn)
            else inputs.get(column.name)
            for column in self._leaves()
        ]
        dense = [tensor for tensor in tensors if not isinstance(tensor, tf.SparseTensor)]
        if dense:
            raise ValueError(
                f"crossed_column {self.name!r} needs sparse features. Received: {dense}"
            )
        return sparse_feature_cross(tensors, self.hash_bucket_size, self.hash_key)

    def wide(self, tensor: Any) -> dict[str, Any] | None:
        return _zeros(tensor, None, self.length, self.combiner)

    def checkpoint(self) -> tuple[str, str] | None:
        if self.ckpt_to_load_from is None:
            return None
        return self.ckpt_to_load_from, self.tensor_name_in_ckpt


def check_instances(columns: Sequence[Any]) -> None:
    """Check that all are columns of contrib.

    Raises:
      TypeError: If one is not.
    """
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise TypeError(
                f"feature_columns takes the columns of tf.contrib.layers only. Received: {column!r}"
            )
