"""Columns of sequences, and `sequence_input_layer`.

TF 2.21 has these columns as ``tf.feature_column.sequence_*``, but no layer for them: Keras 3 lost
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._column_state import Transformed, Variables

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]


def sequence_input_layer(
    features: Mapping[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
) -> tuple[Any, Any]:
    """Makes the input of a recurrent network of columns of sequences.

    Args:
      features: Name -> SparseTensor [batch_size, steps] (or with more dimensions, for numbers).
      feature_columns: `sequence_numeric_column`, and embedding or indicator columns on
        ``sequence_categorical_column_*``.
      weight_collections: Collections for the variables, besides those of all variables.
      trainable: Whether the variables are trained.

    Returns:
      ``(inputs, lengths)``: float [batch_size, steps, dimensions], with the columns in the order of
      their names, and the length of each sequence, int64 [batch_size]. Variables are called
      "sequence_input_layer/<column>/embedding_weights".

    Raises:
      ValueError: If there is no column, two have the same name, or one is none of sequences.
    """
    columns = _checked(feature_columns)
    collections = [*(weight_collections or ())]
    for needed in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.MODEL_VARIABLES):
        if needed not in collections:
            collections.append(needed)
    cache, manager = Transformed(features), Variables(collections, trainable)
    outputs, lengths = [], []
    with tf.variable_scope(None, default_name="sequence_input_layer", values=features.values()):
        for column in sorted(columns, key=lambda c: c.name):
            with tf.variable_scope(None, default_name=_scope(column), values=features.values()):
                column.create_state(manager)
                value, length = column.get_sequence_dense_tensor(cache, manager)
                steps = tf.shape(value)[:2]
                size = column.variable_shape.num_elements()
                outputs.append(tf.reshape(value, tf.concat([steps, [size]], 0)))
                lengths.append(length)
        same = [
            tf.debugging.assert_equal(lengths[0], other, message="Sequences differ in length")
            for other in lengths[1:]
        ]
        with tf.control_dependencies([check for check in same if check is not None]):
            inputs = tf.concat(outputs, -1)
            return inputs, tf.identity(lengths[0])


def _scope(column: Any) -> str:
    name: str = column.name
    return name


def _checked(columns: Any) -> list[Any]:
    columns = list(columns) if isinstance(columns, (list, tuple)) else [columns]
    if not columns:
        raise ValueError("feature_columns must not be empty. Received: []")
    names = [getattr(column, "name", None) for column in columns]
    for column in columns:
        if not hasattr(column, "get_sequence_dense_tensor"):
            raise ValueError(
                "feature_columns must be sequence_numeric_column, or embedding_column or "
                f"indicator_column on a sequence_categorical_column. Received: {column!r}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"feature_columns must have different names. Received: {names}")
    return columns


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> Any:
    """Sequences of integers that are ids.

    Args:
      key: The feature's name.
      num_buckets: Ids are within [0, num_buckets).
      default_value: The id of integers out of range; None: these are errors.

    Returns:
      The column, to be embedded or indicated.

    Raises:
      ValueError: If num_buckets or default_value is out of range.
    """
    return tf.feature_column.sequence_categorical_column_with_identity(
        key, num_buckets, default_value
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = tf.string
) -> Any:
    """Sequences of words that are hashed to ids.

    Args:
      key: The feature's name.
      hash_bucket_size: The number of ids, at least 2.
      dtype: ``tf.string`` or an integer type.

    Returns:
      The column, to be embedded or indicated.

    Raises:
      ValueError: If hash_bucket_size or dtype is not allowed.
    """
    return tf.feature_column.sequence_categorical_column_with_hash_bucket(
        key, hash_bucket_size, dtype
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = tf.string,
) -> Any:
    """Sequences of words whose ids are their lines in a file.

    Args:
      key: The feature's name.
      vocabulary_file: A file with a word in each line.
      vocabulary_size: How many lines to read; None for all.
      num_oov_buckets: How many ids unknown words are hashed to.
      default_value: The id of unknown words, without num_oov_buckets; None for none.
      dtype: ``tf.string`` or an integer type.

    Returns:
      The column, to be embedded or indicated.

    Raises:
      ValueError: If an argument is not allowed.
    """
    return tf.feature_column.sequence_categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> Any:
    """Sequences of words whose ids are their places in a list.

    Args:
      key: The feature's name.
      vocabulary_list: The words.
      dtype: The type of words; None for that of the list.
      default_value: The id of unknown words, without num_oov_buckets; -1 for none.
      num_oov_buckets: How many ids unknown words are hashed to.

    Returns:
      The column, to be embedded or indicated.

    Raises:
      ValueError: If an argument is not allowed.
    """
    return tf.feature_column.sequence_categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets
    )


def sequence_numeric_column(
    key: str,
    shape: Sequence[int] = (1,),
    default_value: float = 0.0,
    dtype: Any = tf.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> Any:
    """Sequences of numbers.

    Args:
      key: The feature's name.
      shape: The shape of a step.
      default_value: What fills sequences that are shorter than others.
      dtype: The numbers' type.
      normalizer_fn: A function of all numbers.

    Returns:
      The column.

    Raises:
      ValueError: If the shape or the type is not allowed.
      TypeError: If normalizer_fn is no function.
    """
    return tf.feature_column.sequence_numeric_column(
        key, shape, default_value, dtype, normalizer_fn
    )
