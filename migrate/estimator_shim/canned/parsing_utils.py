"""What ``tf.io.parse_example`` needs for a canned Estimator: features, label and weight."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["classifier_parse_example_spec", "regressor_parse_example_spec"]


def classifier_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: Any = tf.int64,
    label_default: Any = None,
    weight_column: Any = None,
) -> dict[str, Any]:
    """The parsing spec of a classifier's data.

    Args:
      feature_columns: The feature columns.
      label_key: The name of the label in the examples.
      label_dtype: ``tf.int64`` or ``tf.string``.
      label_default: The label of an example without one; None: there must be one.
      weight_column: The name of the weight, or a ``numeric_column``.

    Returns:
      Name -> ``FixedLenFeature`` or ``VarLenFeature``; the label has the shape [1].

    Raises:
      ValueError: If the label or the weight has the name of a feature.
    """
    label = tf.io.FixedLenFeature((1,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def regressor_parse_example_spec(
    feature_columns: Iterable[Any],
    label_key: str,
    label_dtype: Any = tf.float32,
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: Any = None,
) -> dict[str, Any]:
    """The parsing spec of a regressor's data.

    Args:
      feature_columns: The feature columns.
      label_key: The name of the label in the examples.
      label_dtype: ``tf.float32`` or ``tf.float64``.
      label_default: The label of an example without one, or a list of them, one for each target.
      label_dimension: The number of targets.
      weight_column: The name of the weight, or a ``numeric_column``.

    Returns:
      Name -> ``FixedLenFeature`` or ``VarLenFeature``; the label has the shape [label_dimension].

    Raises:
      ValueError: If the label or the weight has the name of a feature.
    """
    label = tf.io.FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _spec(feature_columns, label_key, label, weight_column)


def _spec(columns: Iterable[Any], label_key: Any, label: Any, weight: Any) -> dict[str, Any]:
    spec: dict[str, Any] = tf.feature_column.make_parse_example_spec(columns)
    _add(spec, label_key, label, "label_key")
    if weight is None:
        return spec
    if isinstance(weight, str):
        weight = tf.feature_column.numeric_column(weight)
    if not hasattr(weight, "normalizer_fn"):
        raise ValueError(
            f"weight_column must be the name of a feature or a numeric_column. Received: {weight!r}"
        )
    for key, parse in tf.feature_column.make_parse_example_spec([weight]).items():
        _add(spec, key, parse, "weight_column")
    return spec


def _add(spec: dict[str, Any], key: Any, value: Any, what: str) -> None:
    if key in spec:
        raise ValueError(
            f"{what} must not be the name of a feature column's feature or of the label. "
            f"Received: {key!r}"
        )
    spec[key] = value
