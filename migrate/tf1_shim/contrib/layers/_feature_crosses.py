"""``tf.contrib.layers``: the crossing of sparse features, hashed as contrib's kernel did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY", "sparse_feature_cross"]

#: The key of the newer hash, that of ``tf.feature_column.crossed_column``.
SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 956888297470

#: Where the older hash starts, and what it adds for each feature.
_START, _ADDED = 0xDECAFCAFFE, 0x9E3779B97F4A7800


def _cross(inputs: Sequence[Any], **how: Any) -> Any:
    """All combinations of the features of each row."""
    return tf.raw_ops.SparseCross(
        indices=[one.indices for one in inputs],
        values=[one.values for one in inputs],
        shapes=[one.dense_shape for one in inputs],
        dense_inputs=[],
        **how,
    )


def sparse_feature_cross(inputs: Sequence[Any], num_buckets: int, hash_key: int | None) -> Any:
    """Cross sparse features, and hash the crosses.

    Args:
      inputs: ``SparseTensor`` of strings or integers, with the same rows.
      num_buckets: The number of hash buckets.
      hash_key: The key of the newer hash; None for the older one, contrib's default.

    Returns:
      A ``SparseTensor`` of int64 ids.
    """
    integers = [
        one
        if one.dtype == tf.string
        else tf.SparseTensor(one.indices, tf.cast(one.values, tf.int64), one.dense_shape)
        for one in inputs
    ]
    if hash_key:
        any_integer = any(one.dtype != tf.string for one in integers)
        crossed = _cross(
            integers,
            hashed_output=True,
            num_buckets=num_buckets,
            hash_key=hash_key,
            out_type=tf.int64,
            internal_type=tf.int64 if any_integer else tf.string,
        )
        return tf.SparseTensor(*crossed)
    # TF 2.21 has no kernel of the older hash: the places of the features are crossed instead.
    places = [
        tf.SparseTensor(
            one.indices, tf.range(tf.size(one.values, out_type=tf.int64)), one.dense_shape
        )
        for one in integers
    ]
    indices, joined, shape = _cross(
        places,
        hashed_output=False,
        num_buckets=0,
        hash_key=SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY,
        out_type=tf.string,
        internal_type=tf.int64,
    )
    parts = tf.strings.split(joined, "_X_").values
    chosen = tf.reshape(tf.strings.to_number(parts, tf.int64), [-1, len(places)])
    hashed = tf.cast(tf.zeros_like(chosen[:, 0]), tf.uint64) + tf.constant(_START, tf.uint64)
    for i, one in enumerate(integers):
        feature = tf.gather(_fingerprint(one.values), chosen[:, i])
        hashed = _combine(hashed, feature)
    ids = tf.math.floormod(hashed, tf.constant(num_buckets, tf.uint64))
    return tf.SparseTensor(indices, tf.cast(ids, tf.int64), shape)


def _fingerprint(values: Any) -> Any:
    """Integers as they are, of strings the FarmHash: uint64."""
    if values.dtype == tf.string:
        return tf.bitcast(tf.fingerprint(values), tf.uint64)
    return tf.bitcast(values, tf.uint64)


def _combine(seed: Any, value: Any) -> Any:
    left = tf.bitwise.left_shift(seed, tf.cast(10, tf.uint64))
    # The kernel shifted a signed number.
    signed = tf.bitwise.right_shift(tf.bitcast(seed, tf.int64), tf.constant(4, tf.int64))
    right = tf.bitcast(signed, tf.uint64)
    mixed = value + tf.constant(_ADDED, tf.uint64) + left + right
    return tf.bitwise.bitwise_xor(seed, mixed)
