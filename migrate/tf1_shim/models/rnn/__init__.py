"""The path of ``tensorflow.models.rnn``: only the reader of the Penn Treebank is here."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["ptb"]

__getattr__ = _lazy.attributes(__name__, __all__, "tensorflow.models.rnn")
