"""``tf.contrib.stateless``: random numbers that depend on their seed only."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "stateless_multinomial",
    "stateless_random_normal",
    "stateless_random_uniform",
    "stateless_truncated_normal",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.stateless")

stateless_multinomial = tf.random.stateless_multinomial
stateless_random_normal = tf.random.stateless_normal
stateless_random_uniform = tf.random.stateless_uniform
stateless_truncated_normal = tf.random.stateless_truncated_normal
