"""``tf.contrib.compiler``: XLA's scopes."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["jit", "xla"]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.contrib.compiler")
