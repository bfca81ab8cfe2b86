"""``tf.contrib.tfprof.tfprof_logger``: what the profiler's command line reads."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = ["write_op_log"]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.tfprof.tfprof_logger")


def write_op_log(
    graph: Any, log_dir: str, op_log: Any = None, run_meta: Any = None, add_trace: bool = True
) -> None:
    """Write the types and the statistics of a graph's operations to ``log_dir/tfprof_log``.

    Args:
      graph: The graph.
      log_dir: The folder.
      op_log: An `OpLogProto` to add to.
      run_meta: A `tf.RunMetadata` of a traced run.
      add_trace: Whether to write where in the Python code each operation was made.
    """
    tf.profiler.write_op_log(graph, log_dir, op_log, run_meta, add_trace)
