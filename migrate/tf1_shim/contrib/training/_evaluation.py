"""``tf.contrib.training``: waiting for checkpoints and evaluating them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "StopAfterNEvalsHook",
    "SummaryAtEndHook",
    "checkpoints_iterator",
    "evaluate_once",
    "evaluate_repeatedly",
    "get_or_create_eval_step",
    "wait_for_new_checkpoint",
]

EVAL_STEP = "eval_step"


def get_or_create_eval_step() -> Any:
    """The counter of evaluation steps, the local variable ``eval_step``.

    Returns:
      The variable.

    Raises:
      ValueError: If the graph has several.
    """
    there = tf.get_collection(tf.GraphKeys.EVAL_STEP)
    if len(there) == 1:
        return there[0]
    if there:
        raise ValueError(f"The collection EVAL_STEP must hold one variable. Received: {there}")
    return tf.get_variable(
        EVAL_STEP,
        shape=[],
        dtype=tf.int64,
        initializer=tf.zeros_initializer(),
        trainable=False,
        collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.EVAL_STEP],
    )


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Wait until a folder has another checkpoint than the last one.

    Args:
      checkpoint_dir: The folder.
      last_checkpoint: The one already seen.
      seconds_to_sleep: How long to wait between looks.
      timeout: When to give up; None for never.

    Returns:
      The checkpoint's path, or None after the timeout.
    """
    stop = None if timeout is None else time.time() + timeout
    while True:
        found: str | None = tf.train.latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            return found
        if stop is not None and time.time() + seconds_to_sleep > stop:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The checkpoints of a folder as they come: see ``tf.train.checkpoints_iterator``.

    Args:
      checkpoint_dir: The folder.
      min_interval_secs: The least time between two of them.
      timeout: How long to wait for one; None for ever.
      timeout_fn: Whether to end after a timeout; by default it ends.

    Returns:
      An iterator of paths.
    """
    found: Iterator[str] = tf.train.checkpoints_iterator(
        checkpoint_dir, min_interval_secs, timeout, timeout_fn
    )
    return found


class StopAfterNEvalsHook(tf.train.SessionRunHook):
    """Stops a session after a number of evaluations."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        """Make a hook.

        Args:
          num_evals: How many; None for until the inputs end.
          log_progress: Whether to log every one.
        """
        self._num_evals = num_evals
        self._log_progress = log_progress
        self._step: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._step = updated_eval_step

    def before_run(self, run_context: Any) -> Any:
        """Ask for the counter."""
        return tf.train.SessionRunArgs({"evals_completed": self._step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Stop if it is time."""
        done = run_values.results["evals_completed"]
        if self._log_progress:
            tf.logging.info("Evaluation [%d/%s]", done, self._num_evals or "unlimited")
        if self._num_evals is not None and done >= self._num_evals:
            run_context.request_stop()


class SummaryAtEndHook(tf.train.SessionRunHook):
    """Writes the summaries once, at the end of a session."""

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        """Make a hook.

        Args:
          log_dir: The folder to write to.
          summary_writer: A writer instead.
          summary_op: What to write; by default all summaries.
          feed_dict: What to feed.

        Raises:
          ValueError: Unless there is one of a folder and a writer.
        """
        if bool(log_dir) == bool(summary_writer):
            raise ValueError("Exactly one of log_dir and summary_writer should be provided.")
        self._log_dir, self._summary_writer = log_dir, summary_writer
        self._summary_op, self._feed_dict = summary_op, feed_dict

    def begin(self) -> None:
        """Make the writer and the operation."""
        self._replace = bool(self._summary_op is None)
        if self._replace:
            self._summary_op = tf.summary.merge_all()
        self._global_step = tf.train.get_or_create_global_step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Open the writer."""
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = tf.summary.FileWriter(self._log_dir)

    def end(self, session: Any) -> None:
        """Write."""
        step = tf.train.global_step(session, self._global_step)
        if self._summary_op is not None:
            text = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(text, step)
        if self._summary_writer:
            self._summary_writer.flush()


def _counted(eval_ops: Any) -> tuple[Any, Any]:
    """The evaluation's operations and the counter after them."""
    step = get_or_create_eval_step()
    flat = [] if eval_ops is None else tf.nest.flatten(eval_ops)
    with tf.control_dependencies(flat):
        counted = tf.assign_add(step, 1)
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": counted}, counted
    if eval_ops is None:
        return counted, counted
    listed = list(eval_ops) if isinstance(eval_ops, (list, tuple)) else [eval_ops]
    return [*listed, counted], counted


def evaluate_once(
    checkpoint_path: str | None,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Any = None,
    config: Any = None,
) -> Any:
    """Evaluate one checkpoint.

    Args:
      checkpoint_path: Its path; None for freshly initialized variables.
      master: The master to connect to.
      scaffold: A ``tf.train.Scaffold``.
      eval_ops: What to run until a hook stops it: an operation, a list or a dictionary.
      feed_dict: What to feed.
      final_ops: What to run in the end.
      final_ops_feed_dict: What to feed then.
      hooks: Hooks, among them `StopAfterNEvalsHook`.
      config: A ``tf.ConfigProto``.

    Returns:
      What the final operations gave.
    """
    if eval_ops is not None:
        eval_ops, counter = _counted(eval_ops)
    else:
        counter = get_or_create_eval_step()
    hooks = list(hooks or [])
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(counter)
    creator = tf.train.ChiefSessionCreator(
        scaffold=scaffold,
        checkpoint_filename_with_path=checkpoint_path,
        master=master,
        config=config,
    )
    final = tf.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    with tf.train.MonitoredSession(session_creator=creator, hooks=[*hooks, final]) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    return final.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: str = "",
    scaffold: Any = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Any = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluate the checkpoints of a folder as they come.

    Args:
      checkpoint_dir: The folder.
      master: The master to connect to.
      scaffold: A ``tf.train.Scaffold``.
      eval_ops: What to run until a hook stops it.
      feed_dict: What to feed.
      final_ops: What to run in the end.
      final_ops_feed_dict: What to feed then.
      eval_interval_secs: The least time between two evaluations.
      hooks: Hooks, among them `StopAfterNEvalsHook`.
      config: A ``tf.ConfigProto``.
      max_number_of_evaluations: When to end; None for never.
      timeout: How long to wait for a checkpoint; None for ever.
      timeout_fn: Whether to end after a timeout.

    Returns:
      What the final operations gave last.
    """
    if eval_ops is not None:
        eval_ops, counter = _counted(eval_ops)
    else:
        counter = get_or_create_eval_step()
    hooks = list(hooks or [])
    for hook in hooks:
        if isinstance(hook, StopAfterNEvalsHook):
            hook._set_evals_completed_tensor(counter)
    final = tf.train.FinalOpsHook(final_ops, final_ops_feed_dict)
    paths = checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout, timeout_fn)
    for count, path in enumerate(paths, 1):
        creator = tf.train.ChiefSessionCreator(
            scaffold=scaffold,
            checkpoint_filename_with_path=path,
            master=master,
            config=config,
        )
        with tf.train.MonitoredSession(session_creator=creator, hooks=[*hooks, final]) as session:
            if eval_ops is not None:
                while not session.should_stop():
                    session.run(eval_ops, feed_dict)
        if max_number_of_evaluations is not None and count >= max_number_of_evaluations:
            break
    return final.final_ops_values
