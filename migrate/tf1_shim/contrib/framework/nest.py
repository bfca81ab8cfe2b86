"""``tf.contrib.framework.nest``: nested structures, from ``tf.nest``."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["assert_same_structure", "flatten", "is_sequence", "map_structure", "pack_sequence_as"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.framework.nest")

assert_same_structure = tf.nest.assert_same_structure
flatten = tf.nest.flatten
map_structure = tf.nest.map_structure
pack_sequence_as = tf.nest.pack_sequence_as


def is_sequence(seq: Any) -> bool:
    """Whether something is a list, a tuple, a dictionary or a named tuple."""
    return bool(tf.nest.is_nested(seq))
