"""``tf.contrib.util``: conversions of tensors, from ``tf``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto"]

__getattr__ = _lazy.attributes(
    __name__, (), "tf.contrib.util", {"loader": "use tf.load_op_library"}
)

constant_value = tf.get_static_value
make_ndarray = tf.make_ndarray
make_tensor_proto = tf.make_tensor_proto
