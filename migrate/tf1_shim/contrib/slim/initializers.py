"""``slim.initializers``: the initializers of ``tf.contrib.layers``."""

from __future__ import annotations

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.layers import (
    variance_scaling_initializer,
    xavier_initializer,
    xavier_initializer_conv2d,
)

__all__ = [
    "variance_scaling_initializer",
    "xavier_initializer",
    "xavier_initializer_conv2d",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.initializers")
