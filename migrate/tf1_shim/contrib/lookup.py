"""``tf.contrib.lookup``: tables from keys to values, from ``tf.lookup``."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "HashTable",
    "KeyValueTensorInitializer",
    "MutableDenseHashTable",
    "MutableHashTable",
    "TextFileIndex",
    "TextFileInitializer",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
    "string_to_index_table_from_file",
    "string_to_index_table_from_tensor",
]

_HASH = (
    "only the fast hash is in the shim, so there is no specification of hashers: leave "
    "hasher_spec away"
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.lookup",
    {
        "FastHashSpec": _HASH,
        "HasherSpec": _HASH,
        "StrongHashSpec": _HASH,
        "IdTableWithHashBuckets": "use tf.lookup.StaticVocabularyTable",
        "index_to_string": "deprecated in TF1: use index_to_string_table_from_tensor",
        "string_to_index": "deprecated in TF1: use string_to_index_table_from_tensor",
    },
)

KeyValueTensorInitializer = tf.lookup.KeyValueTensorInitializer
MutableDenseHashTable = tf.lookup.experimental.DenseHashTable
MutableHashTable = tf.lookup.experimental.MutableHashTable
TextFileIndex = tf.lookup.TextFileIndex
TextFileInitializer = tf.lookup.TextFileInitializer


class HashTable(tf.lookup.StaticHashTable):
    """A table that does not change: ``tf.lookup.StaticHashTable`` with TF1's arguments."""

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: Any = None, name: Any = None
    ) -> None:
        """Make a table.

        Args:
          initializer: What fills it.
          default_value: What missing keys give.
          shared_name: Must be None: tables cannot be shared by name in TF 2.21's public API.
          name: Its name.

        Raises:
          ValueError: If ``shared_name`` is given.
        """
        if shared_name is not None:
            raise ValueError("tf.contrib.lookup.HashTable(shared_name=…) is not supported.")
        super().__init__(initializer, default_value, name=name)


def _table(initializer: Any, buckets: int, default_value: Any, key_dtype: Any, name: Any) -> Any:
    if not buckets:
        return tf.lookup.StaticHashTable(initializer, default_value, name=name)
    kind = tf.int64 if tf.as_dtype(key_dtype).is_integer else tf.string
    return tf.lookup.StaticVocabularyTable(
        initializer, num_oov_buckets=buckets, lookup_key_dtype=kind, name=name
    )


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = None,
    dtype: Any = tf.string,
    name: str | None = None,
) -> Any:
    """A table from keys to their places in a list.

    Args:
      mapping: The keys, strings or integers.
      num_oov_buckets: How many further ids there are for other keys, by their hash.
      default_value: The id of other keys, if there are no such ids.
      hasher_spec: Must be None, for the fast hash.
      dtype: The dtype of the keys.
      name: The table's name.

    Returns:
      A table; run ``tf.tables_initializer()``.

    Raises:
      ValueError: If there is no mapping or a count is negative, or another hash is asked for.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    _check(num_oov_buckets, hasher_spec)
    integer = tf.as_dtype(dtype).is_integer
    with tf.name_scope(name, "string_to_index"):
        keys = tf.convert_to_tensor(mapping)
        if integer != keys.dtype.is_integer:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}.")
        values = tf.cast(tf.range(tf.size(keys)), tf.int64)
        keys = tf.cast(keys, tf.int64) if integer else keys
        start = tf.lookup.KeyValueTensorInitializer(
            keys, values, tf.int64 if integer else tf.string, tf.int64, name="table_init"
        )
        return _table(start, num_oov_buckets, default_value, dtype, None)


def _check(buckets: int, hasher_spec: Any) -> None:
    if buckets < 0:
        raise ValueError(f"num_oov_buckets must not be negative. Received: {buckets}")
    if hasher_spec is not None:
        raise ValueError("hasher_spec is not supported: only the fast hash is in the shim.")


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    key_dtype: Any = tf.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the lines of a file to their numbers.

    Args:
      vocabulary_file: The file.
      num_oov_buckets: How many further ids there are for other keys, by their hash.
      vocab_size: How many lines to read; by default all.
      default_value: The id of other keys, if there are no such ids.
      hasher_spec: Must be None, for the fast hash.
      key_dtype: The dtype of the keys.
      name: The table's name.
      key_column_index: Where the keys stand, by default the whole line.
      value_column_index: Where the ids stand, by default the line's number.
      delimiter: What parts the columns.

    Returns:
      A table; run ``tf.tables_initializer()``.

    Raises:
      ValueError: If there is no file or a count does not fit, or another hash is asked for.
    """
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError(f"A vocabulary_file is needed. Received: {vocabulary_file!r}")
    _check(num_oov_buckets, hasher_spec)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be positive. Received: {vocab_size}")
    with tf.name_scope(name, "string_to_index"):
        start = tf.lookup.TextFileInitializer(
            vocabulary_file,
            tf.int64 if tf.as_dtype(key_dtype).is_integer else tf.string,
            key_column_index,
            tf.int64,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
        )
        return _table(start, num_oov_buckets, default_value, key_dtype, None)


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = None,
    name: str | None = None,
) -> Any:
    """The older name of `index_table_from_tensor`, for strings."""
    return index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, tf.string, name
    )


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    name: str | None = None,
) -> Any:
    """The older name of `index_table_from_file`, for strings."""
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """A table from places in a list to the strings there.

    Args:
      mapping: The strings.
      default_value: What other ids give.
      name: The table's name.

    Returns:
      A table; run ``tf.tables_initializer()``.
    """
    if mapping is None:
        raise ValueError("mapping must be specified.")
    with tf.name_scope(name, "index_to_string"):
        values = tf.convert_to_tensor(mapping, tf.string)
        keys = tf.cast(tf.range(tf.size(values)), tf.int64)
        start = tf.lookup.KeyValueTensorInitializer(keys, values, tf.int64, tf.string)
        return tf.lookup.StaticHashTable(start, default_value)


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: str = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> Any:
    """A table from the numbers of a file's lines to the lines.

    Args:
      vocabulary_file: The file.
      vocab_size: How many lines to read; by default all.
      default_value: What other ids give.
      name: The table's name.
      key_column_index: Where the ids stand, by default the line's number.
      value_column_index: Where the strings stand, by default the whole line.
      delimiter: What parts the columns.

    Returns:
      A table; run ``tf.tables_initializer()``.
    """
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError(f"A vocabulary_file is needed. Received: {vocabulary_file!r}")
    with tf.name_scope(name, "index_to_string"):
        start = tf.lookup.TextFileInitializer(
            vocabulary_file,
            tf.int64,
            key_column_index,
            tf.string,
            value_column_index,
            vocab_size=vocab_size,
            delimiter=delimiter,
        )
        return tf.lookup.StaticHashTable(start, default_value)
