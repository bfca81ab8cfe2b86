"""The part that training, evaluation and prediction share: a new graph, filled in TF1's order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import util
from migrate.estimator_shim.mode_keys import ModeKeys


@contextlib.contextmanager
def new_graph(estimator: Any) -> Iterator[Any]:
    """A graph with the Estimator's seed and devices, and a global step as its first variable."""
    graph = tf.Graph()
    with graph.as_default(), graph.device(estimator._device_fn):
        tf.set_random_seed(estimator._config.tf_random_seed)
        estimator._create_and_assert_global_step(graph)
        yield graph


def build(estimator: Any, input_fn: Callable[..., Any], mode: str) -> tuple[Any, list[Any]]:
    """Calls the input_fn and the model_fn.

    Args:
      estimator: The Estimator.
      input_fn: The user's function.
      mode: The mode; for prediction labels are dropped.

    Returns:
      The EstimatorSpec and the hooks that the input needs.
    """
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
