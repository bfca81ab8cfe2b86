"""``tf.contrib.tfprof.model_analyzer``: parameters, operations and times of a graph."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
]

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.tfprof.model_analyzer",
    {"ProfileContext": "use tf.profiler.experimental.Profile around the steps to trace"},
)

Profiler = tf.profiler.Profiler


def _options(**changed: Any) -> dict[str, Any]:
    return {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "order_by": "name",
        "account_type_regexes": [".*"],
        "start_name_regexes": [".*"],
        "trim_name_regexes": [],
        "show_name_regexes": [".*"],
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": [],
        "output": "stdout",
        "dump_to_file": "",
        **changed,
    }


#: Parameters of the trainable variables.
TRAINABLE_VARS_PARAMS_STAT_OPTIONS = _options(
    account_type_regexes=["_trainable_variables"], select=["params"]
)
#: Floating point operations.
FLOAT_OPS_OPTIONS = _options(min_float_ops=1, order_by="float_ops", select=["float_ops"])
#: Times and memory of a run.
PRINT_ALL_TIMING_MEMORY = _options(min_bytes=1, min_micros=1, select=["micros", "bytes"])
#: Every check of `advise`, with its own options.
ALL_ADVICE: dict[str, dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


def print_model_analysis(
    graph: Any,
    run_meta: Any = None,
    op_log: Any = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Any = 0,
) -> Any:
    """Profile a graph, by default printing what the options select.

    Args:
      graph: The graph.
      run_meta: A `tf.RunMetadata` of a traced run, for times and memory.
      op_log: An `OpLogProto` with more types of operations.
      tfprof_cmd: "scope", "graph", "op" or "code".
      tfprof_options: A dictionary such as `TRAINABLE_VARS_PARAMS_STAT_OPTIONS`, or one of
        ``tf.profiler.ProfileOptionBuilder``; 0 for the profiler's own.

    Returns:
      The tree of nodes (``total_parameters``, ``total_float_ops`` …): a `GraphNodeProto` for
      "scope" and "graph", a `MultiGraphNodeProto` for "op" and "code".
    """
    return tf.profiler.profile(
        graph, run_meta=run_meta, op_log=op_log, cmd=tfprof_cmd, options=tfprof_options
    )


def advise(graph: Any, run_meta: Any = None, tfprof_options: Any = 0) -> Any:
    """Let the profiler look for what makes a graph slow.

    Args:
      graph: The graph.
      run_meta: A `tf.RunMetadata` of a traced run.
      tfprof_options: A dictionary such as `ALL_ADVICE`; 0 for all checks.

    Returns:
      An `AdviceProto`.
    """
    return tf.profiler.advise(graph, run_meta, tfprof_options)
