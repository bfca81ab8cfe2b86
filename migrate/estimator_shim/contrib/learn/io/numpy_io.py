"""`numpy_input_fn` with contrib.learn's defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from migrate.estimator_shim.inputs import numpy_io

__all__ = ["numpy_input_fn"]


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool = True,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """See `migrate.estimator_shim.inputs.numpy_input_fn`; shuffles if not told otherwise."""
    return numpy_io.numpy_input_fn(
        x,
        y,
        batch_size=batch_size,
        num_epochs=num_epochs,
        shuffle=shuffle,
        queue_capacity=queue_capacity,
        num_threads=num_threads,
    )
