"""The part that training, evaluation and prediction share: a new graph, filled in TF1's order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _keras_graph, util
from migrate.estimator_shim.mode_keys import ModeKeys


@contextlib.contextmanager
def new_graph(estimator: Any, placed: bool = True) -> Iterator[Any]:
    """A graph with the Estimator's seed, and a global step as its first variable.

    Args:
      estimator: The Estimator.
      placed: Whether its device function places operations: in training only, as in TF1.

    Yields:
      The graph.
    """
    device = estimator._device_fn if placed else None
    with _keras_graph.new_graph() as graph, graph.device(device), _behaviour_of_tf1():
        tf.set_random_seed(estimator._config.tf_random_seed)
        estimator._create_and_assert_global_step(graph)
        yield graph


_lock = threading.Lock()
_graphs_of_tf1 = 0


@contextlib.contextmanager
def _behaviour_of_tf1() -> Iterator[None]:
    """In programs with TF 2's behaviour: variables and control flow of the graph as TF1 has them.

    Of a resource variable "dense/kernel:0" is the handle and a fetch the value before the step; of
    TF1's variables it is the value, after the step. Models and hooks rely on both. Only control
    flow of the old kind can assign such variables. Functions, those of Datasets too, don't change.
    """
    global _graphs_of_tf1
    if not tf.resource_variables_enabled() or not (tf.control_flow_v2_enabled() or _graphs_of_tf1):
        yield  # the program's own choice, after disable_v2_behavior
        return
    tf.get_variable_scope().set_use_resource(False)
    with _lock:
        _graphs_of_tf1 += 1
        tf.disable_control_flow_v2()
    try:
        yield
    finally:
        with _lock:
            _graphs_of_tf1 -= 1
            if not _graphs_of_tf1:
                tf.enable_control_flow_v2()


def build(estimator: Any, input_fn: Callable[..., Any], mode: str) -> tuple[Any, list[Any]]:
    """Calls the input_fn and the model_fn.

    Args:
      estimator: The Estimator.
      input_fn: The user's function.
      mode: The mode; for prediction labels are dropped.

    Returns:
      The EstimatorSpec and the hooks that the input needs.
    """
    replicated = estimator._build_replicated(input_fn, mode)
    if replicated is not None:
        built: tuple[Any, list[Any]] = replicated
        return built
    result = estimator._call_input_fn(input_fn, mode)
    features, labels, hooks = util.parse_input_fn_result(result)
    if mode == ModeKeys.PREDICT:
        labels = None
        if not hooks and not tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            tf.logging.warning(
                "The input of predict is neither a Dataset nor a queue: it does not end by itself."
            )
    return estimator._call_model_fn(features, labels, mode, estimator.config), hooks


def warm_start(estimator: Any, checkpoint: str | None) -> None:
    """Makes initializers read the other model's checkpoint, if there is no own one."""
    settings = estimator._warm_start_settings
    if settings is not None and not checkpoint:
        tf.logging.info("Warm-starting with %s", settings)
        tf.train.warm_start(*settings)


@contextlib.contextmanager
def explain_restore(checkpoint: str | None) -> Iterator[None]:
    """Says which checkpoint could not be read and what to do, in the error of a restore.

    Args:
      checkpoint: Its path; None if there is none to restore.

    Raises:
      DataLossError: In place of the error, if it is one of a restore.
    """
    try:
        yield
    except (tf.errors.DataLossError, tf.errors.OutOfRangeError) as e:
        # After that a session is created, hooks run too: only errors of the restore are meant.
        if not checkpoint or (e.op is not None and e.op.type != "RestoreV2"):
            raise
        raise damaged(checkpoint, e.message) from e


def damaged(checkpoint: str, why: str) -> Exception:
    """The error for a checkpoint that can't be read.

    Args:
      checkpoint: Its path.
      why: What TensorFlow says.

    Returns:
      A DataLossError.
    """
    error: Exception = tf.errors.DataLossError(
        None,
        None,
        f"The checkpoint {checkpoint!r} is damaged and can't be restored. Delete {checkpoint}.* "
        "and its lines in the file `checkpoint` beside it to continue from an older one, or give "
        f"another checkpoint_path. ({why})",
    )
    return error
