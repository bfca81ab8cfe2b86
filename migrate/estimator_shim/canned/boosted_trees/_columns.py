"""Feature columns as trees take them: for each example a bucket of each feature.

A bucketized column is one feature, an indicator column one for each category, and a column of
floats one for each dimension. Features are numbered in the order of the columns' names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._column_state import Transformed, Variables
from migrate.estimator_shim.canned.boosted_trees import _ensemble
from migrate.estimator_shim.canned.boosted_trees._growth import Group

BUCKETIZED, INDICATOR, FLOAT = "bucketized", "indicator", "float"


class Column(NamedTuple):
    """A feature column, of which kind it is, and how many features it makes."""

    column: Any
    kind: str
    size: int

    @property
    def name(self) -> str:
        """What importances and contributions call it."""
        if self.kind == INDICATOR:
            return str(self.column.categorical_column.name)
        return str(self.column.name)


def _column(column: Any) -> Column:
    kind = type(column).__name__
    if kind == "BucketizedColumn":
        return Column(column, BUCKETIZED, 1)
    if kind == "IndicatorColumn":
        return Column(column, INDICATOR, int(column.categorical_column.num_buckets))
    if hasattr(column, "num_buckets"):
        raise ValueError(
            "Categorical columns must be wrapped by tf.feature_column.indicator_column. "
            f"Received: {column!r}"
        )
    dtype = getattr(column, "dtype", None)
    if dtype is None or not tf.as_dtype(dtype).is_floating:
        raise ValueError(
            "Trees take bucketized columns, indicator columns and numeric columns of floats. "
            f"Received: {column!r}"
        )
    shape = tf.TensorShape(column.variable_shape)
    if shape.rank > 1:
        raise ValueError(f"Numeric columns must have one dimension at most. Received: {column!r}")
    return Column(column, FLOAT, int(shape[0]) if shape.rank else 1)


def sort(columns: Iterable[Any]) -> list[Column]:
    """The columns in the order of their names.

    Args:
      columns: Feature columns.

    Returns:
      What is known of each.

    Raises:
      ValueError: If trees can't take one of them.
    """
    return [_column(column) for column in sorted(columns, key=lambda c: c.name)]


def names(columns: Sequence[Column]) -> list[str]:
    """The name of the column of each feature."""
    return [column.name for column in columns for _ in range(column.size)]


def floats(columns: Sequence[Column]) -> int:
    """How many of the features are floats."""
    return sum(column.size for column in columns if column.kind == FLOAT)


def groups(columns: Sequence[Column], quantiles: int) -> list[Group]:
    """The features by how many buckets they have, in the order in which TF1 asks them for splits.

    Args:
      columns: See `sort`.
      quantiles: About how many buckets float features have.

    Returns:
      The groups. All bucketized columns have as many buckets as the largest of them.
    """
    found: dict[int, list[int]] = {}
    bucketized, most, feature = [], 2, 0
    for column in columns:
        numbers = list(range(feature, feature + column.size))
        feature += column.size
        if column.kind == BUCKETIZED:
            most = max(most, len(column.column.boundaries) + 1)
            bucketized.extend(numbers)
        else:
            found.setdefault(2 if column.kind == INDICATOR else quantiles, []).extend(numbers)
    if bucketized:
        found.setdefault(most, []).extend(bucketized)
    return [Group(buckets, numbers) for buckets, numbers in found.items()]


class Inputs:
    """The features of a batch."""

    def __init__(self, features: Mapping[str, Any], columns: Sequence[Column]) -> None:
        """Transforms the features.

        Args:
          features: Name -> tensor.
          columns: See `sort`.

        Raises:
          ValueError: If two columns have one name, or a feature has more dimensions than its
            column may have.
        """
        names = [column.column.name for column in columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"Columns must differ in their names. Received twice: {twice}")
        cache, variables = Transformed(features), Variables([], False)
        self._columns = columns
        self._parts: list[Any] = []
        for column in columns:
            value = cache.get(column.column, variables)
            if column.kind == BUCKETIZED and (value.shape.rank != 2 or value.shape[1] != 1):
                raise ValueError(
                    "Bucketized columns must have one value for each example. "
                    f"Received: {column.column!r}, {value!r}"
                )
            if column.kind == INDICATOR and value.shape.rank != 2:
                raise ValueError(
                    f"Indicator columns must have rank 2. Received: {column.column!r}, {value!r}"
                )
            if column.kind != FLOAT:
                value = tf.cast(value, tf.int32)
            self._parts.append(tf.ensure_shape(value, [None, column.size]))

    def floats(self) -> Any:
        """The values of all float features, float32 [batch_size, features]."""
        pairs = zip(self._parts, self._columns, strict=True)
        return tf.concat([part for part, column in pairs if column.kind == FLOAT], 1)

    def buckets(self, boundaries: _ensemble.Buckets | None) -> Any:
        """The buckets of all features.

        Args:
          boundaries: Those of float features.

        Returns:
          Int32 [batch_size, features].
        """
        parts = list(self._parts)
        if boundaries is not None:
            at = [i for i, column in enumerate(self._columns) if column.kind == FLOAT]
            sizes = [self._columns[i].size for i in at]
            found = tf.split(boundaries.of(self.floats()), sizes, axis=1)
            for i, part in zip(at, found, strict=True):
                parts[i] = part
        return tf.concat(parts, 1)
