"""An input_fn of pandas data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from migrate.estimator_shim.inputs import _feeding
from migrate.estimator_shim.inputs.numpy_io import check_shuffle

__all__ = ["pandas_input_fn"]


def _is_frame(value: Any) -> bool:
    """Whether it is a DataFrame: it has columns. Told without importing pandas."""
    return hasattr(value, "columns") and hasattr(value, "index")


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int | None = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input_fn that takes rows of a data frame through a queue.

    Args:
      x: A ``pandas.DataFrame``.
      y: None, or a Series or DataFrame with the same index.
      batch_size: The rows of a batch; the last one may have less.
      num_epochs: How often to go through the rows; None for ever.
      shuffle: Must be given: whether rows come in random order.
      queue_capacity: How many rows the queue holds; None for as many as x has, and four times
        that with shuffle.
      num_threads: How many threads fill it; each makes ``num_epochs`` epochs.
      target_column: A name for y that no column of x has; it does not show in the result.

    Returns:
      A function without arguments. It returns a dict of the columns, together with the labels (a
      tensor for a Series, a dict for a DataFrame) if there is a y.

    Raises:
      TypeError: If x is no DataFrame.
      ValueError: If shuffle is not given, x and y have different indices, or x has a column
        called as target_column says.
    """
    if not _is_frame(x):
        raise TypeError(f"x must be a pandas.DataFrame. Received: {type(x).__name__}")
    check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError(f"target_column must be a string. Received: {target_column!r}")
    x = x.copy()
    if y is not None and target_column in x:
        raise ValueError(
            "target_column must be no column of x. "
            f"Received: {target_column!r} and the columns {list(x.columns)}"
        )
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError(
            "x and y must have the same index. "
            f"Received: {list(x.index[:5])} and {list(y.index[:5])} (the first of each)"
        )

    if y is not None:
        y = y.copy()
    if queue_capacity is None:
        queue_capacity = 4 * len(x) if shuffle else len(x)
    capacity = queue_capacity

    def input_fn() -> Any:
        features = [(("x", c), np.asarray(x[c])) for c in x.columns]
        if y is None:
            labels = []
        elif _is_frame(y):
            labels = [(("y", c), np.asarray(y[c])) for c in y.columns]
        else:
            labels = [(("y", target_column), np.asarray(y))]
        columns: dict[Any, Any] = dict(features + labels)
        batch = _feeding.enqueue(
            columns,
            batch_size,
            num_epochs,
            bool(shuffle),
            capacity,
            max(capacity // 4, 1),
            num_threads,
        )
        tensors = dict(zip(columns, batch, strict=True))
        found = {c: tensors[("x", c)] for c in x.columns}
        if y is None:
            return found
        if _is_frame(y):
            return found, {c: tensors[("y", c)] for c in y.columns}
        return found, tensors[("y", target_column)]

    return input_fn
