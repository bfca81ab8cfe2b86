"""`pandas_input_fn` with contrib.learn's defaults, and data frames as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from migrate.estimator_shim.inputs import pandas_io

__all__ = [
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
    "pandas_input_fn",
]

_NUMBERS = frozenset(
    [f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)]
    + [f"float{n}" for n in (16, 32, 64)]
    + ["bool"]
)


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """See `migrate.estimator_shim.inputs.pandas_input_fn`; shuffles if not told otherwise."""
    return pandas_io.pandas_input_fn(
        x,
        y,
        batch_size=batch_size,
        num_epochs=num_epochs,
        shuffle=shuffle,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
        target_column=target_column,
    )


def _is_frame(data: Any) -> bool:
    return hasattr(data, "columns") and hasattr(data, "iloc")


def _check_numbers(data: Any) -> None:
    bad = {str(c): data[c].dtype.name for c in data if data[c].dtype.name not in _NUMBERS}
    if bad:
        raise ValueError(f"All columns must hold numbers or bools. Received: {bad}")


def extract_pandas_data(data: Any) -> Any:
    """A data frame of numbers as an array of float64; anything else as it is.

    Args:
      data: The data frame.

    Returns:
      The array.

    Raises:
      ValueError: If a column holds something else than numbers.
    """
    if not _is_frame(data):
        return data
    _check_numbers(data)
    return data.to_numpy().astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """A data frame as an array; anything else as it is.

    Args:
      data: The data frame.

    Returns:
      The array.
    """
    return data.to_numpy() if _is_frame(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """A data frame of one column of numbers as an array; anything else as it is.

    Args:
      labels: The data frame.

    Returns:
      The array [rows, 1].

    Raises:
      ValueError: If there are more columns, or no numbers.
    """
    if not _is_frame(labels):
        return labels
    if len(labels.columns) > 1:
        raise ValueError(f"Labels must be one column. Received: {list(labels.columns)}")
    _check_numbers(labels)
    return labels.to_numpy()
