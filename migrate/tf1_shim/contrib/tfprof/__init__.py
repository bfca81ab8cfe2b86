"""``tf.contrib.tfprof``: the profiler of graphs, which is ``tf.compat.v1.profiler``."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = ["model_analyzer", "tfprof_logger"]

__getattr__ = _lazy.attributes(
    __name__,
    __all__,
    "tf.contrib.tfprof",
    {"ProfileContext": "use tf.profiler.experimental.Profile around the steps to trace"},
)
