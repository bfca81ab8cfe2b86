"""What the canned models share: checks, scopes, partitioners."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import tensorflow.compat.v1 as tf

_MIN_SLICE = 64 << 20


def check_features(features: Any) -> None:
    """Raises ValueError unless features are a dict."""
    if not isinstance(features, Mapping):
        raise ValueError(
            "The features of a canned Estimator must be a dict: name -> tensor. "
            f"Received: {features!r}"
        )


def servers(config: Any) -> int:
    """How many parameter servers there are."""
    return config.num_ps_replicas if config else 0


def partitioner(count: int, min_slice_size: int | None = None) -> Callable[..., Any]:
    """Spreads large variables over parameter servers."""
    if min_slice_size is None:
        return tf.min_max_variable_partitioner(max_partitions=count)
    return tf.min_max_variable_partitioner(max_partitions=count, min_slice_size=min_slice_size)


def is_partitioned(variable: Any) -> bool:
    """Whether it is a partitioned variable."""
    return hasattr(variable, "as_tensor")


def input_partitioner(config: Any, given: Any) -> Callable[..., Any]:
    """The partitioner of the variables that feature columns make."""
    return given or partitioner(servers(config), _MIN_SLICE)


def check_columns(columns: Any) -> tuple[Any, ...]:
    """The feature columns as a tuple."""
    if columns is None:
        raise ValueError("feature_columns must be a list of feature columns. Received: None")
    return tuple(columns) if isinstance(columns, Iterable) else (columns,)


def summarize(value: Any, tag: str) -> None:
    """The summaries of a layer's output."""
    tf.summary.scalar(f"{tag}/fraction_of_zero_values", tf.math.zero_fraction(value))
    tf.summary.histogram(f"{tag}/activation", value)
