"""``tf.contrib.compiler.xla``, which became ``tf.xla.experimental``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["compile"]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.compiler.xla",
    {
        "check_function_argument_count": "it was an internal check: leave it away",
        "estimator_model_fn": "use tf.function(jit_compile=True), or xla.compile inside",
    },
)

compile = tf.xla.experimental.compile
