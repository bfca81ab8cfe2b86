"""Endpoints that mostly build graphs, and yet do the same in eager programs of TF 1.15.5 and 2.21.

Measured: each ran under `tf.enable_eager_execution()` on TF 1.15.5 and, as `tf.compat.v1.x` with
v2 behaviour on, on TF 2.21, with equal values, bit for bit.
"""

from __future__ import annotations

from migrate.symbols.outcomes import Record

_NAMES = [
    "AUTO_REUSE",
    "ConfigProto",
    "GPUOptions",
    "GraphKeys",
    "GraphOptions",
    "OptimizerOptions",
    "RunMetadata",
    "RunOptions",
    "VariableScope",
    "add_to_collection",
    "all_variables",
    "assert_variables_initialized",
    "colocate_with",
    "create_partitioned_variables",
    "data.make_initializable_iterator",
    "data.make_one_shot_iterator",
    "feature_column.input_layer",
    "feature_column.linear_model",
    "get_collection",
    "get_default_session",
    "get_local_variable",
    "get_variable",
    "get_variable_scope",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_tables",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "initializers.global_variables",
    "initializers.local_variables",
    "initializers.tables_initializer",
    "initializers.variables",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "losses.add_loss",
    "losses.compute_weighted_loss",
    "losses.get_losses",
    "losses.get_regularization_loss",
    "losses.get_regularization_losses",
    "losses.get_total_loss",
    "make_template",
    "moving_average_variables",
    "placeholder_with_default",
    "reset_default_graph",
    "summary.FileWriterCache",
    "tables_initializer",
    "train.AdadeltaOptimizer",
    "train.AdagradDAOptimizer",
    "train.AdagradOptimizer",
    "train.AdamOptimizer",
    "train.FtrlOptimizer",
    "train.GradientDescentOptimizer",
    "train.MomentumOptimizer",
    "train.Optimizer",
    "train.ProximalAdagradOptimizer",
    "train.ProximalGradientDescentOptimizer",
    "train.RMSPropOptimizer",
    "train.SecondOrStepTimer",
    "train.SessionRunHook",
    "train.assert_global_step",
    "train.cosine_decay",
    "train.cosine_decay_restarts",
    "train.experimental.enable_mixed_precision_graph_rewrite",
    "train.exponential_decay",
    "train.get_global_step",
    "train.get_or_create_global_step",
    "train.global_step",
    "train.inverse_time_decay",
    "train.linear_cosine_decay",
    "train.natural_exp_decay",
    "train.noisy_linear_cosine_decay",
    "train.piecewise_constant",
    "train.piecewise_constant_decay",
    "train.polynomial_decay",
    "trainable_variables",
    "variable_scope",
    "variables_initializer",
]
EAGER_SAFE = frozenset(f"tensorflow.{name}" for name in _NAMES)


def eager_safe(record: Record) -> bool:
    """Whether an endpoint, or the core endpoint that it was another name for, is one of them."""
    target = record.target or ""
    core = "tensorflow." + target.removeprefix("tensorflow.compat.v1.")
    return record.name in EAGER_SAFE or core in EAGER_SAFE
