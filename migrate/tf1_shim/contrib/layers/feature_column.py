"""``tf.contrib.layers``: the functions that make contrib's feature columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.layers import _feature_columns as fc
from migrate.tf1_shim.contrib.layers import _scattered as scattered

__all__ = [
    "bucketized_column",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "real_valued_column",
    "scattered_embedding_column",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "weighted_sparse_column",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.layers.feature_column")


def _sparse(
    kind: Any,
    name: str,
    bucket_size: int | None,
    config: Any,
    combiner: str,
    dtype: Any,
    integerized: bool = False,
) -> Any:
    dtype = tf.as_dtype(dtype)
    if integerized and not dtype.is_integer:
        raise ValueError(
            f"{name} has ids, so its dtype must be one of integers. Received: {dtype!r}"
        )
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError(f"{name} must be of strings or integers. Received: {dtype!r}")
    if config is None and (bucket_size is None or bucket_size < 1):
        raise ValueError(f"{name} needs a positive bucket_size. Received: {bucket_size}")
    return kind(name, integerized, bucket_size, config, combiner, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = tf.int64
) -> Any:
    """A categorical column of integers; ids are those modulo the number of buckets.

    Args:
      column_name: The feature.
      bucket_size: The number of ids.
      combiner: "sum", "mean" or "sqrtn", for linear models.
      dtype: An integer type.

    Returns:
      A column.

    Raises:
      ValueError: If the dtype is no integer, or there is no bucket.
    """
    return _sparse(
        fc._SparseColumnIntegerized, column_name, bucket_size, None, combiner, dtype, True
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: Any = tf.string,
    hash_keys: Any = None,
) -> Any:
    """A categorical column of strings or integers; ids are their hashes.

    Args:
      column_name: The feature.
      hash_bucket_size: The number of ids.
      combiner: "sum", "mean" or "sqrtn", for linear models.
      dtype: string or an integer type.
      hash_keys: Pairs of integers: a strong hash with each of them.

    Returns:
      A column.

    Raises:
      ValueError: If the keys are no pairs, the dtype is another one, or there is no bucket.
    """
    if hash_keys is not None and (
        not isinstance(hash_keys, list)
        or not hash_keys
        or not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(k, int) for k in pair)
            for pair in hash_keys
        )
    ):
        raise ValueError(f"hash_keys must be a list of pairs of integers. Received: {hash_keys}")
    column = _sparse(fc._SparseColumnHashed, column_name, hash_bucket_size, None, combiner, dtype)
    column.hash_keys = hash_keys
    return column


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """A categorical column with a list of values; ids are their places.

    Args:
      column_name: The feature.
      keys: The values.
      default_value: The id of other values; -1 for none.
      combiner: "sum", "mean" or "sqrtn", for linear models.
      dtype: string or an integer type.

    Returns:
      A column.
    """
    keys = tuple(keys)
    config = fc._SparseIdLookupConfig(None, keys, 0, len(keys), default_value)
    return _sparse(fc._SparseColumnKeys, column_name, None, config, combiner, dtype)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = tf.string,
) -> Any:
    """A categorical column with a file of values; ids are their lines.

    Args:
      column_name: The feature.
      vocabulary_file: The file, one value a line.
      num_oov_buckets: How many further ids there are for other values, by their hash.
      vocab_size: The number of lines.
      default_value: The id of other values without such buckets.
      combiner: "sum", "mean" or "sqrtn", for linear models.
      dtype: string or an integer type.

    Returns:
      A column.

    Raises:
      ValueError: If the size is None.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    config = fc._SparseIdLookupConfig(
        vocabulary_file, None, num_oov_buckets, vocab_size, default_value
    )
    return _sparse(fc._SparseColumnVocabulary, column_name, None, config, combiner, dtype)


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: Any = tf.float32
) -> Any:
    """A categorical column whose values have weights.

    Args:
      sparse_id_column: A categorical column.
      weight_column_name: The feature with the weights, as many as there are values.
      dtype: The weights' dtype.

    Returns:
      A column.

    Raises:
      ValueError: If the dtype is no number.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"Weights must be numbers. Received: dtype {dtype!r}")
    return fc._WeightedSparseColumn(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column: Any) -> Any:
    """A dense column: the counts of a categorical column's values, or the sums of their weights.

    Args:
      sparse_id_column: A categorical column, weighted or not.

    Returns:
      A column.
    """
    return fc._OneHotColumn(sparse_id_column)


def _embedding(column: Any, dimension: int, combiner: str, initializer: Any, *more: Any) -> Any:
    checkpoint, tensor_name = more[:2]
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"The initializer of {column.name}'s embedding must be a function. "
            f"Received: {initializer!r}"
        )
    if (checkpoint is None) != (tensor_name is None):
        raise ValueError(
            "ckpt_to_load_from and tensor_name_in_ckpt go together. "
            f"Received: {checkpoint!r}, {tensor_name!r}"
        )
    if initializer is None:
        initializer = tf.truncated_normal_initializer(0.0, 1 / math.sqrt(column.length))
    return fc._EmbeddingColumn(column, dimension, combiner, initializer, *more)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """A dense column: a categorical column, embedded.

    Args:
      sparse_id_column: A categorical column, weighted or not.
      dimension: The size of an embedding.
      combiner: "mean", "sqrtn" or "sum", for several values.
      initializer: By default a truncated normal distribution with the deviation 1 / sqrt(length);
        that of ``tf.feature_column.embedding_column`` is 1 / sqrt(dimension).
      ckpt_to_load_from: A checkpoint to start from.
      tensor_name_in_ckpt: The name of the weights in it.
      max_norm: The largest length of an embedding.
      trainable: Whether it is trained.

    Returns:
      A column.

    Raises:
      ValueError: If the initializer is not callable, or only one of checkpoint and name is given.
    """
    return _embedding(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        None,
        None,
        max_norm,
        trainable,
    )


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int,
    combiner: str = "mean",
    initializer: Any = None,
) -> Any:
    """A dense column: strings, embedded without a vocabulary.

    Each element of a value's embedding is hashed by itself into one vector of weights.

    Args:
      column_name: The feature: a ``SparseTensor`` of strings.
      size: The number of weights.
      dimension: The size of an embedding.
      hash_key: The key of the hash, such as `SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY`.
      combiner: "mean", "sqrtn" or "sum", for several values.
      initializer: By default a truncated normal distribution with the deviation 0.1.

    Returns:
      A column.

    Raises:
      ValueError: If a number is not positive, hash_key is missing (TF1 failed later), the combiner
        is none of these or the initializer is not callable.
    """
    if min(dimension, size) < 1 or not hash_key:
        raise ValueError(
            f"{column_name} needs a positive size and dimension, and a hash_key. "
            f"Received: {size}, {dimension}, {hash_key}"
        )
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(
            f"{column_name}: combiner must be 'mean', 'sqrtn' or 'sum'. Received: {combiner!r}"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(
            f"{column_name}: the initializer must be a function. Received: {initializer!r}"
        )
    if initializer is None:
        initializer = tf.truncated_normal_initializer(0.0, 0.1)
    return scattered._ScatteredEmbeddingColumn(
        column_name, size, dimension, hash_key, combiner, initializer
    )


def shared_embedding_columns(
    sparse_id_columns: Any,
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """Dense columns: categorical columns with one embedding.

    Args:
      sparse_id_columns: Categorical columns, weighted or not, with the same ids.
      dimension: The size of an embedding.
      combiner: "mean", "sqrtn" or "sum", for several values.
      shared_embedding_name: The variable's name; by default made of the columns'.
      initializer: See `embedding_column`.
      ckpt_to_load_from: See `embedding_column`.
      tensor_name_in_ckpt: See `embedding_column`.
      max_norm: See `embedding_column`.
      trainable: Whether it is trained.

    Returns:
      A tuple of columns (of one column a list).

    Raises:
      TypeError: If these are no categorical columns.
      ValueError: If there is none, or they do not fit.
    """
    if not isinstance(sparse_id_columns, Sequence) or isinstance(sparse_id_columns, str):
        raise TypeError(
            f"sparse_id_columns must be a list of columns. Received: {sparse_id_columns!r}"
        )
    columns = list(sparse_id_columns)
    if not columns:
        raise ValueError("sparse_id_columns needs one column or more. Received: none")
    for column in columns:
        if not isinstance(column, (fc._SparseColumn, fc._WeightedSparseColumn)):
            raise TypeError(
                f"sparse_id_columns takes sparse columns, weighted or not. Received: {column!r}"
            )
    start = (dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    if len(columns) == 1:
        return [_embedding(columns[0], *start, shared_embedding_name, None, max_norm, trainable)]
    first = columns[0]
    weighted = isinstance(first, fc._WeightedSparseColumn)
    if not all(
        first.is_compatible(other) if weighted else other.is_compatible(first)
        for other in columns[1:]
    ):
        raise ValueError(f"Columns that share an embedding must be alike. Received: {columns}")
    if not shared_embedding_name:
        plain = [c for c in columns if isinstance(c, fc._SparseColumn)]
        others = [c for c in columns if not isinstance(c, fc._SparseColumn)]
        names = [c.name for c in [*sorted(plain), *sorted(others, key=lambda c: c.name)]]
        shared_embedding_name = "_".join(names[:3])
        if len(names) > 3:
            shared_embedding_name += f"_plus_{len(names) - 3}_others"
        shared_embedding_name += "_shared_embedding"
    return tuple(
        _embedding(column, *start, shared_embedding_name, first.length, max_norm, trainable)
        for column in columns
    )


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = tf.float32,
    normalizer: Any = None,
) -> Any:
    """A dense column of numbers.

    Args:
      column_name: The feature.
      dimension: How many numbers.
      default_value: For examples without the feature: a number, or a list of ``dimension``.
      dtype: The dtype of the feature.
      normalizer: A function of the tensor.

    Returns:
      A column.

    Raises:
      TypeError: If the dimension is no integer, or the default does not fit the dtype.
      ValueError: If there is no number, or the dtype is none of numbers.
    """
    if not isinstance(dimension, int):
        raise TypeError(
            f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise ValueError(f"The dimension of {column_name} must be positive. Received: {dimension}")
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"{column_name} must be of numbers. Received: dtype {dtype!r}")
    values = default_value
    if isinstance(values, (int, float)):
        values = [values] * dimension
    if values is not None:
        whole = isinstance(values, list) and all(isinstance(v, int) for v in values)
        numbers = isinstance(values, list) and all(isinstance(v, (int, float)) for v in values)
        if isinstance(values, list) and len(values) != dimension:
            raise ValueError(
                f"{column_name} needs {dimension} default values. Received: {default_value}"
            )
        if not (whole if dtype.is_integer else numbers):
            raise TypeError(
                f"The default values of {column_name} must fit {dtype!r}. Received: {default_value}"
            )
        values = tuple(values if dtype.is_integer else map(float, values))
    return fc._RealValuedColumn(column_name, dimension, values, dtype, normalizer)


def bucketized_column(source_column: Any, boundaries: Any) -> Any:
    """A categorical and dense column: numbers in buckets.

    Args:
      source_column: A `real_valued_column`.
      boundaries: Sorted numbers; n of them make n + 1 buckets, each with its lower boundary.

    Returns:
      A column.

    Raises:
      TypeError: If the source is another column.
      ValueError: If the boundaries are empty or not sorted.
    """
    if not isinstance(source_column, fc._RealValuedColumn):
        raise TypeError(f"Only a real_valued_column has buckets. Received: {source_column!r}")
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(f"Buckets need one boundary or more. Received: {boundaries!r}")
    if list(boundaries) != sorted(boundaries):
        raise ValueError(f"boundaries must ascend. Received: {boundaries}")
    return fc._BucketizedColumn(source_column, tuple(sorted(set(boundaries))))


def crossed_column(
    columns: Any,
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> Any:
    """A categorical column: combinations of others, hashed.

    Args:
      columns: Categorical, bucketized or crossed columns.
      hash_bucket_size: The number of ids.
      combiner: "sum", "mean" or "sqrtn", for linear models.
      ckpt_to_load_from: A checkpoint to start from.
      tensor_name_in_ckpt: The name of the weights in it.
      hash_key: The key of the hash that ``tf.feature_column.crossed_column`` has as well; None for
        contrib's older hash.

    Returns:
      A column.

    Raises:
      TypeError: If one of the columns cannot be crossed.
      ValueError: If there are less than two columns or buckets, or only one of checkpoint and name
        is given.
    """
    columns = list(columns)
    for column in columns:
        if not isinstance(column, (fc._SparseColumn, fc._CrossedColumn, fc._BucketizedColumn)):
            raise TypeError(
                f"Sparse, crossed and bucketized columns can be crossed. Received: {column!r}"
            )
    if len(columns) < 2:
        raise ValueError(f"A cross needs two columns or more. Received: {columns}")
    if hash_bucket_size < 2:
        raise ValueError(f"hash_bucket_size must be 2 or more. Received: {hash_bucket_size}")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "ckpt_to_load_from and tensor_name_in_ckpt go together. "
            f"Received: {ckpt_to_load_from!r}, {tensor_name_in_ckpt!r}"
        )
    ordered = tuple(sorted(columns, key=lambda column: column.name))
    return fc._CrossedColumn(
        ordered, hash_bucket_size, hash_key, combiner, ckpt_to_load_from, tensor_name_in_ckpt
    )


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """What ``tf.parse_example`` needs for columns.

    Args:
      feature_columns: Columns, or a dictionary of them.

    Returns:
      From names to features.

    Raises:
      TypeError: If one is no column of contrib.
    """
    if isinstance(feature_columns, dict):
        feature_columns = feature_columns.values()
    columns = list(feature_columns)
    fc.check_instances(columns)
    return {k: v for column in columns for k, v in column.config.items()}


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Placeholders for the features of columns.

    Args:
      feature_columns: Columns, or a dictionary of them.

    Returns:
      From names to placeholders, sparse ones for categorical columns.
    """
    return {
        name: tf.sparse_placeholder(feature.dtype, name=f"Placeholder_{name}")
        if isinstance(feature, tf.VarLenFeature)
        else tf.placeholder(
            feature.dtype, shape=(None, feature.shape[0]), name=f"Placeholder_{name}"
        )
        for name, feature in create_feature_spec_for_parsing(feature_columns).items()
    }
