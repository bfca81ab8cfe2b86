"""Optimizers of canned Estimators: by name, made by a function, or given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["get_optimizer_instance"]

_BY_NAME: dict[str, Callable[[float], Any]] = {
    "Adagrad": tf.train.AdagradOptimizer,
    "Adam": tf.train.AdamOptimizer,
    "Ftrl": tf.train.FtrlOptimizer,
    "RMSProp": tf.train.RMSPropOptimizer,
    "SGD": tf.train.GradientDescentOptimizer,
}


def get_optimizer_instance(opt: Any, learning_rate: float | None = None) -> Any:
    """The optimizer that an argument of a canned Estimator means.

    Args:
      opt: "Adagrad", "Adam", "Ftrl", "RMSProp" or "SGD"; a function without arguments that returns
        an optimizer (called while the graph is built, so that it can make a schedule of the global
        step); or a ``tf.compat.v1.train.Optimizer``.
      learning_rate: The learning rate for a name.

    Returns:
      A ``tf.compat.v1.train.Optimizer``.

    Raises:
      ValueError: If the name is unknown, it has no learning rate, or it is no optimizer of TF1.
    """
    if isinstance(opt, str):
        if opt not in _BY_NAME:
            raise ValueError(f"optimizer must be one of {sorted(_BY_NAME)}. Received: {opt!r}")
        if not learning_rate:
            raise ValueError(
                f"An optimizer by name needs a learning rate. Received: {learning_rate!r}"
            )
        return _BY_NAME[opt](learning_rate)
    if callable(opt):
        opt = opt()
    if not isinstance(opt, tf.train.Optimizer):
        raise ValueError(
            "optimizer must be a name, a tf.compat.v1.train.Optimizer, or a function that returns "
            "one; Keras 3's optimizers keep their state outside of a session. "
            f"Received: {opt!r}"
        )
    return opt
