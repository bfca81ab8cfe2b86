"""`generator_input_fn`: a generator of dicts as input."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = ["generator_input_fn"]


def generator_input_fn(
    x: Callable[[], Generator[dict[str, Any], None, None]],
    target_key: str | list[str] | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    pad_value: Any = None,
) -> Callable[[], Any]:
    """An input_fn from a generator, as a Dataset.

    Args:
      x: Returns a generator of dicts: name -> array; always the same names, dtypes and shapes
        (apart from their first dimension, if pad_value is given).
      target_key: The name or names of the labels.
      batch_size: How many rows a batch has; the last one may have less.
      num_epochs: How often the generator is made anew; None for ever.
      shuffle: Whether rows come in a random order, within ``queue_capacity`` of them.
      queue_capacity: How many rows are held to shuffle.
      num_threads: How many rows are made ready at the same time; the generator itself is asked by
        one thread.
      pad_value: Fills up arrays that are shorter than others of their batch; None for no filling.

    Returns:
      An input_fn.

    Raises:
      TypeError: If x is no function that returns a generator of dicts, or target_key no string.
      KeyError: If a target is not among the names.
    """
    if not callable(x):
        raise TypeError(f"x must be a function that returns a generator. Received: {x!r}")
    rows = x()
    if not isinstance(rows, Generator):
        raise TypeError(f"x must return a generator. Received: {rows!r}")
    first = next(rows)
    if not isinstance(first, dict):
        raise TypeError(f"x must generate dicts. Received: {first!r}")
    targets = [target_key] if isinstance(target_key, str) else list(target_key or [])
    if not all(isinstance(key, str) for key in targets):
        raise TypeError(f"target_key must be a string or strings. Received: {target_key!r}")
    missing = [key for key in targets if key not in first]
    if missing:
        raise KeyError(f"target_key {missing} is none of {sorted(first)}")
    like = {key: np.asarray(value) for key, value in first.items()}

    def input_fn() -> Any:
        dtypes = {key: tf.as_dtype(value.dtype) for key, value in like.items()}
        free = pad_value is not None
        shapes = {
            key: [None, *v.shape[1:]] if free and v.ndim else list(v.shape)
            for key, v in like.items()
        }
        data = tf.data.Dataset.from_generator(x, dtypes, shapes)
        data = data.shuffle(queue_capacity) if shuffle else data
        data = data.repeat(num_epochs)
        if free:
            filled = {key: tf.cast(pad_value, dtype) for key, dtype in dtypes.items()}
            data = data.padded_batch(batch_size, shapes, filled)
        else:
            data = data.batch(batch_size)
        return data.map(split, num_threads) if targets else data

    def split(row: dict[str, Any]) -> Any:
        labels = {key: row.pop(key) for key in targets}
        return row, labels if len(labels) > 1 else next(iter(labels.values()))

    return input_fn
