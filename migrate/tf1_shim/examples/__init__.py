"""The path of ``tensorflow.examples``: only the tutorials' MNIST reader is here."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["tutorials"]

__getattr__ = _lazy.attributes(__name__, __all__, "tensorflow.examples")
