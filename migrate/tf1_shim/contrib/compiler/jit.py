"""``tf.contrib.compiler.jit``, which became ``tf.xla.experimental``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["experimental_jit_scope"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.compiler.jit")

experimental_jit_scope = tf.xla.experimental.jit_scope
