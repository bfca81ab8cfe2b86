"""The path of ``tensorflow.examples.tutorials``."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["mnist"]

__getattr__ = _lazy.attributes(__name__, __all__, "tensorflow.examples.tutorials")
