"""``slim.evaluation``: evaluating checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy
from migrate.tf1_shim.contrib import training
from migrate.tf1_shim.contrib.training import checkpoints_iterator, wait_for_new_checkpoint

__all__ = [
    "checkpoints_iterator",
    "evaluate_once",
    "evaluation_loop",
    "wait_for_new_checkpoint",
]

__getattr__ = _lazy.attributes(__name__, (), "tf.contrib.slim.evaluation")

_USE_DEFAULT = 0


def _hooks(num_evals: int, summary_op: Any, logdir: str, feed_dict: Any, hooks: Any) -> list[Any]:
    made = [training.StopAfterNEvalsHook(num_evals)]
    if summary_op is _USE_DEFAULT:
        summary_op = tf.summary.merge_all()
    if summary_op is not None:
        made.append(training.SummaryAtEndHook(logdir, summary_op=summary_op, feed_dict=feed_dict))
    return made + list(hooks or [])


def _scaffold(variables_to_restore: Any, initial_op: Any, initial_op_feed_dict: Any) -> Any:
    saver = None
    if variables_to_restore is not None:
        saver = tf.train.Saver(variables_to_restore)
    return tf.train.Scaffold(init_op=initial_op, init_feed_dict=initial_op_feed_dict, saver=saver)


def evaluate_once(
    master: str,
    checkpoint_path: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Any = None,
) -> Any:
    """Evaluate one checkpoint.

    Args:
      master: The master to connect to.
      checkpoint_path: The checkpoint.
      logdir: The folder for the summaries.
      num_evals: How often to run ``eval_op``.
      initial_op: What initializes.
      initial_op_feed_dict: What to feed then.
      eval_op: What to run ``num_evals`` times.
      eval_op_feed_dict: What to feed then.
      final_op: What to run in the end.
      final_op_feed_dict: What to feed then.
      summary_op: The summaries; by default all, None for none.
      summary_op_feed_dict: What to feed then.
      variables_to_restore: By default all variables.
      session_config: A ``tf.ConfigProto``.
      hooks: Further hooks.

    Returns:
      What ``final_op`` gave.
    """
    return training.evaluate_once(
        checkpoint_path,
        master=master,
        scaffold=_scaffold(variables_to_restore, initial_op, initial_op_feed_dict),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, summary_op, logdir, summary_op_feed_dict, hooks),
        config=session_config,
    )


def evaluation_loop(
    master: str,
    checkpoint_dir: str,
    logdir: str,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Any = None,
) -> Any:
    """Evaluate the checkpoints of a folder as they come: see `evaluate_once`.

    Args:
      master: The master to connect to.
      checkpoint_dir: The folder.
      logdir: The folder for the summaries.
      num_evals: How often to run ``eval_op``.
      initial_op: What initializes.
      initial_op_feed_dict: What to feed then.
      init_fn: A function of the scaffold and the session that runs after it.
      eval_op: What to run ``num_evals`` times.
      eval_op_feed_dict: What to feed then.
      final_op: What to run in the end.
      final_op_feed_dict: What to feed then.
      summary_op: The summaries; by default all, None for none.
      summary_op_feed_dict: What to feed then.
      variables_to_restore: By default all variables.
      eval_interval_secs: The least time between two evaluations.
      max_number_of_evaluations: When to end; None for never.
      session_config: A ``tf.ConfigProto``.
      timeout: How long to wait for a checkpoint; None for ever.
      timeout_fn: Whether to end after a timeout.
      hooks: Further hooks.

    Returns:
      What ``final_op`` gave last.
    """
    saver = None if variables_to_restore is None else tf.train.Saver(variables_to_restore)
    return training.evaluate_repeatedly(
        checkpoint_dir,
        master=master,
        scaffold=tf.train.Scaffold(
            init_op=initial_op,
            init_feed_dict=initial_op_feed_dict,
            init_fn=init_fn,
            saver=saver,
        ),
        eval_ops=eval_op,
        feed_dict=eval_op_feed_dict,
        final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, summary_op, logdir, summary_op_feed_dict, hooks),
        config=session_config,
        max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout,
        timeout_fn=timeout_fn,
    )
