"""``tf.contrib.tensorboard``: the embedding projector."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["plugins"]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.contrib.tensorboard")
