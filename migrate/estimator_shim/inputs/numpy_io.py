"""An input_fn of NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from migrate.estimator_shim.inputs import _feeding

__all__ = ["numpy_input_fn"]

_FEATURE = "__direct_np_input__"
_TARGET = "__target_key__"


def check_shuffle(shuffle: Any) -> None:
    """``shuffle`` has no default that suits training and evaluation: it must be given.

    Raises:
      ValueError: If it is no bool.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be given as a bool: True is usual for training, False for evaluation "
            f"and prediction. Received: {shuffle!r}"
        )


def _sorted_dict(x: dict[str, Any]) -> dict[str, Any]:
    return {k: x[k] for k in sorted(x, key=str)}


def _array(name: str, value: Any) -> Any:
    if not hasattr(value, "shape"):
        raise TypeError(
            f"x and y must consist of arrays: use np.array. Received: {name!r}: {value!r}"
        )
    return np.asarray(value)


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input_fn that takes rows of arrays through a queue.

    Args:
      x: An array, or a dict of arrays of the same length.
      y: None, an array, or a dict of arrays, of that length.
      batch_size: The rows of a batch; the last one may have less.
      num_epochs: How often to go through the rows; None for ever.
      shuffle: Must be given: whether rows come in random order.
      queue_capacity: How many rows the queue holds.
      num_threads: How many threads fill it; each makes ``num_epochs`` epochs.

    Returns:
      A function without arguments. It returns features as x is (a tensor or a dict), together
      with the labels if there is a y.

    Raises:
      ValueError: If shuffle is not given; and, when the input_fn is called, if x or y is
        empty, lengths differ, or x and y have a key in common.
      TypeError: When the input_fn is called, if x is neither an array nor a dict of them.

    Example:

    >>> input_fn = numpy_input_fn({"a": np.arange(4)}, np.arange(4), batch_size=2, shuffle=False)
    """
    check_shuffle(shuffle)

    def input_fn() -> Any:
        if not isinstance(x, (dict, np.ndarray)):
            raise TypeError(f"x must be an array or a dict of them. Received: {type(x).__name__}")
        if isinstance(x, np.ndarray) and x.size == 0:
            raise ValueError(f"x must not be empty. Received: an array of shape {x.shape}")
        xs = _sorted_dict(x) if isinstance(x, dict) else {_FEATURE: x}
        if not xs:
            raise ValueError("x must not be an empty dict")
        target = _TARGET
        while target in xs:
            target += "_"
        if y is None:
            ys: dict[str, Any] = {}
        elif isinstance(y, dict):
            if not y:
                raise ValueError("y must not be an empty dict; use None")
            ys = _sorted_dict(y)
        else:
            ys = {target: y}
        both = sorted(set(xs) & set(ys))
        if both:
            raise ValueError(f"x and y must have different keys. Received: {both} in both")
        arrays = {k: _array(k, v) for k, v in (xs | ys).items()}
        lengths = {k: v.shape[0] for k, v in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"x and y must have the same length. Received: {lengths}")
        if 0 in lengths.values():
            raise ValueError(f"x must have rows. Received: {lengths}")
        batch = _feeding.enqueue(
            arrays,
            batch_size,
            num_epochs,
            bool(shuffle),
            queue_capacity,
            queue_capacity // 4,
            num_threads,
        )
        tensors = dict(zip(arrays, batch, strict=True))
        features = {k: tensors[k] for k in xs} if isinstance(x, dict) else tensors[_FEATURE]
        if y is None:
            return features
        labels = {k: tensors[k] for k in ys} if isinstance(y, dict) else tensors[target]
        return features, labels

    return input_fn
