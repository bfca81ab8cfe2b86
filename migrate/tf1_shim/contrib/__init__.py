"""``tf.contrib``, as far as it can live on TF 2.21.

Each sub-package is imported on first use. What is missing raises `AttributeError` with the name
of the endpoint and what to use instead.
"""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = [
    "crf",
    "data",
    "framework",
    "layers",
    "learn",
    "legacy_seq2seq",
    "lookup",
    "losses",
    "opt",
    "rnn",
    "seq2seq",
    "slim",
    "stateless",
    "summary",
    "training",
    "util",
]

__getattr__ = _lazy.attributes(__name__, __all__, "tf.contrib")
