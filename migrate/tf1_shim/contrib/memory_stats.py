"""``tf.contrib.memory_stats``: the operations are gone, each use says so."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = []

_WHY = (
    "TF 2 has no operation for it: call "
    'tf.config.experimental.get_memory_info("GPU:0"), which gives current and peak'
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.memory_stats",
    dict.fromkeys(
        (
            "BytesInUse",
            "BytesLimit",
            "MaxBytesInUse",
        ),
        _WHY,
    ),
)
