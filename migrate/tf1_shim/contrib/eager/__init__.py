"""``tf.contrib.eager`` (tfe): what eager execution began with."""

from __future__ import annotations

import tensorflow
import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib.eager import metrics
from migrate.tf1_shim.contrib.eager._context import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
    Iterator,
    async_wait,
    defun,
    execution_mode,
    list_devices,
    make_template,
    num_gpus,
    py_func,
    run,
    set_execution_mode,
)
from migrate.tf1_shim.contrib.eager._gradients import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    value_and_gradients_function,
)
from migrate.tf1_shim.contrib.eager._network import (
    Network,
    Sequential,
    restore_network_checkpoint,
    save_network_checkpoint,
)
from migrate.tf1_shim.contrib.eager._variables import (
    EagerVariableStore,
    Saver,
    Variable,
    get_optimizer_variables,
    restore_variables_on_create,
)

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "Checkpoint",
    "Checkpointable",
    "EagerVariableStore",
    "GradientTape",
    "Iterator",
    "Network",
    "Saver",
    "Sequential",
    "TensorSpec",
    "Variable",
    "async_clear_error",
    "async_wait",
    "connect_to_remote_host",
    "custom_gradient",
    "defun",
    "enable_eager_execution",
    "executing_eagerly",
    "execution_mode",
    "function",
    "get_optimizer_variables",
    "gradients_function",
    "implicit_gradients",
    "implicit_value_and_gradients",
    "in_eager_mode",
    "list_devices",
    "make_template",
    "metrics",
    "num_gpus",
    "py_func",
    "restore_network_checkpoint",
    "restore_variables_on_create",
    "run",
    "save_network_checkpoint",
    "set_execution_mode",
    "value_and_gradients_function",
]

_CALLBACKS = (
    "TF 2 has no public callbacks on operations: use tf.debugging.enable_check_numerics() to stop "
    "at the first inf or nan"
)
_BOTH = (
    "TF 2 has no public switch between graphs and eager execution inside of a test: run the test "
    "in tf.Graph().as_default() and once without it"
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.eager",
    {
        "ExecutionCallback": _CALLBACKS,
        "add_execution_callback": _CALLBACKS,
        "clear_execution_callbacks": _CALLBACKS,
        "errstate": _CALLBACKS,
        "inf_callback": _CALLBACKS,
        "inf_nan_callback": _CALLBACKS,
        "nan_callback": _CALLBACKS,
        "seterr": _CALLBACKS,
        "run_all_tests_in_graph_and_eager_modes": _BOTH,
        "run_test_in_graph_and_eager_modes": _BOTH,
        "enable_remote_eager_execution": "use tf.config.experimental_connect_to_cluster",
        "set_server_def": "use tf.config.experimental_connect_to_cluster",
    },
)

Checkpoint = tf.train.Checkpoint
Checkpointable = tensorflow.__internal__.tracking.AutoTrackable
GradientTape = tf.GradientTape
TensorSpec = tf.TensorSpec
async_clear_error = tensorflow.experimental.async_clear_error
connect_to_remote_host = tensorflow.config.experimental_connect_to_host
custom_gradient = tf.custom_gradient
enable_eager_execution = tf.enable_eager_execution
executing_eagerly = tf.executing_eagerly
function = tf.function
in_eager_mode = tf.executing_eagerly
