"""``tf.contrib.hooks``: the profiler's hook, which became ``tf.train.ProfilerHook``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["ProfilerHook"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.hooks")

ProfilerHook = tf.train.ProfilerHook
