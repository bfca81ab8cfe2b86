"""Random numbers of Keras 3 under JAX or torch: those that TensorFlow draws for the same shapes.

Start values, dropout masks and the order that ``fit`` takes arrays in are then the original's, and
a program can be compared.

This runs with the recorder in the program's interpreter and imports nothing of the tool.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def redirect(module: Any, draws: Any, tf: Any) -> None:
    """Replace what a backend draws with; ``module`` is its ``keras.src.backend.NAME.random``."""

    def array(draw: Any, shape: Any, *rest: Any) -> Any:
        with tf.init_scope():
            return draw([int(size) for size in shape], *rest).numpy()

    def tensor(values: Any, dtype: Any) -> Any:
        from keras.src import backend

        return backend.convert_to_tensor(values, dtype or backend.floatx())

    def normal(
        shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
    ) -> Any:
        return tensor(array(draws.normal, shape, tf.float32), dtype) * stddev + mean

    def truncated_normal(
        shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
    ) -> Any:
        return tensor(array(draws.truncated, shape, tf.float32), dtype) * stddev + mean

    def uniform(
        shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
    ) -> Any:
        return tensor(array(draws.uniform, shape, tf.float32), dtype) * (maxval - minval) + minval

    def randint(
        shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None
    ) -> Any:
        return tensor(array(draws.integers, shape, minval, maxval), dtype)

    def dropout(inputs: Any, rate: Any, noise_shape: Any = None, seed: Any = None) -> Any:
        if not 0.0 < rate < 1.0:
            return inputs * (1.0 - rate)
        given = noise_shape or [None] * len(inputs.shape)
        shape = [old if new is None else new for old, new in zip(inputs.shape, given, strict=True)]
        kept = array(draws.uniform, shape, tf.float32) >= np.float32(rate)
        return inputs * tensor(kept, inputs.dtype) / (1.0 - rate)

    for function in (normal, truncated_normal, uniform, randint, dropout):
        setattr(module, function.__name__, function)


def redirect_order(module: Any, draws: Any, tf: Any) -> None:
    """Let ``fit`` shuffle as it does under TensorFlow; ``module`` is Keras's adapter of arrays.

    Under JAX its order is NumPy's permutation, under torch ``torch.randperm``.
    """

    def order(count: int) -> Any:
        with tf.init_scope():
            return draws.permutation(int(count)).numpy().astype(np.int64)

    module.np = _NumPy(order)
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.randperm = lambda count, *rest, **more: torch.from_numpy(order(count))


class _NumPy:
    """NumPy with a permutation of its own."""

    def __init__(self, permutation: Any) -> None:
        self.random = _NumPyRandom(permutation)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class _NumPyRandom:
    def __init__(self, permutation: Any) -> None:
        self.permutation = permutation

    def __getattr__(self, name: str) -> Any:
        return getattr(np.random, name)
