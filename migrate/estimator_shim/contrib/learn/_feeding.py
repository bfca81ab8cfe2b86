"""Arrays as an input_fn of placeholders and a function that feeds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

#: contrib.learn's batches are drawn with this seed.
_SEED = 42


def input_of(
    x: Any, y: Any, batch_size: int | None, shuffle: bool = False, epochs: int | None = 1
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """An input_fn and its feed_fn.

    Args:
      x: An array, or a dict of arrays.
      y: An array, a dict of arrays, or None.
      batch_size: None for all rows.
      shuffle: Whether rows come in a random order, another one each epoch.
      epochs: After how many epochs it ends; None for never.

    Returns:
      ``(input_fn, feed_fn)``.
    """
    # As in TF 1.15 features have columns, and labels of one column have none.
    xs = {k: a[:, None] if a.ndim == 1 else a for k, a in _arrays(x).items()}
    ys = {k: a[:, 0] if a.ndim > 1 and a.shape[1] == 1 else a for k, a in _arrays(y).items()}
    rows = len(next(iter(xs.values())))
    size = min(batch_size or rows, rows)
    held: dict[str, Any] = {}

    def input_fn() -> Any:
        held["x"], held["y"] = _placeholders(xs, "input"), _placeholders(ys, "output")
        features = held["x"] if isinstance(x, dict) else held["x"][""]
        labels = None if y is None else held["y"] if isinstance(y, dict) else held["y"][""]
        return features, labels

    batches = _batches(rows, size, shuffle, epochs)

    def feed_fn() -> Any:
        chosen = next(batches)
        feed = {held["x"][k]: v[chosen] for k, v in xs.items()}
        feed.update({held["y"][k]: v[chosen] for k, v in ys.items()})
        return feed

    return input_fn, feed_fn


def _arrays(values: Any) -> dict[str, Any]:
    if values is None:
        return {}
    named = values if isinstance(values, dict) else {"": values}
    return {key: np.asarray(value) for key, value in named.items()}


def _placeholders(arrays: dict[str, Any], name: str) -> dict[str, Any]:
    return {
        key: tf.placeholder(tf.as_dtype(a.dtype), [None, *a.shape[1:]], name=key or name)
        for key, a in arrays.items()
    }


def _batches(rows: int, size: int, shuffle: bool, epochs: int | None) -> Any:
    random = np.random.RandomState(_SEED)
    done = 0
    while epochs is None or done < epochs:
        order = random.permutation(rows) if shuffle else np.arange(rows)
        for start in range(0, rows, size):
            yield order[start : start + size]
        done += 1
