"""Hooks that end training by what evaluations say."""

from __future__ import annotations

import collections
import operator
import os
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

__all__ = [
    "make_early_stopping_hook",
    "read_eval_metrics",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]

_EVENTS = "*tfevents*"


def make_early_stopping_hook(
    estimator: Any,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """A hook that asks a function now and then whether to stop.

    Other workers see the answer too, through a variable called "signal_early_stopping/STOP".

    Args:
      estimator: The `Estimator`.
      should_stop_fn: Takes nothing and tells whether to stop.
      run_every_secs: Seconds between calls; None to go by steps.
      run_every_steps: Steps between calls; None to go by seconds.

    Returns:
      A hook for the ``hooks`` of `Estimator.train` or `TrainSpec`.

    Raises:
      TypeError: If estimator is none, or should_stop_fn is not callable.
      ValueError: If both or neither of the intervals is given.
    """
    from migrate.estimator_shim.estimator import Estimator

    if not isinstance(estimator, Estimator):
        raise TypeError(f"estimator must be an Estimator. Received: {estimator!r}")
    if not callable(should_stop_fn):
        raise TypeError(f"should_stop_fn must be a function. Received: {should_stop_fn!r}")
    if (run_every_secs is None) == (run_every_steps is None):
        raise ValueError(
            "Give one of run_every_secs and run_every_steps, and None for the other. "
            f"Received: run_every_secs={run_every_secs}, run_every_steps={run_every_steps}"
        )
    if estimator.config.is_chief:
        return _Ask(should_stop_fn, run_every_secs, run_every_steps)
    return _Obey()


def _stop_variable() -> Any:
    """The variable through which the chief tells the others; the same in every process."""
    with tf.variable_scope("signal_early_stopping", reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            name="STOP",
            shape=[],
            dtype=tf.bool,
            initializer=tf.constant_initializer(False),
            collections=[tf.GraphKeys.GLOBAL_VARIABLES],
            trainable=False,
        )


class _Ask(tf.train.SessionRunHook):
    def __init__(self, should_stop: Callable[[], bool], secs: Any, steps: Any) -> None:
        self._should_stop = should_stop
        self._timer = tf.train.SecondOrStepTimer(every_secs=secs, every_steps=steps)
        self._step: Any = None
        self._stop: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_global_step()
        variable = _stop_variable()
        self._stop = tf.assign(variable, True)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                tf.logging.info("Early stopping at step %d.", step)
                run_context.session.run(self._stop)
                run_context.request_stop()


class _Obey(tf.train.SessionRunHook):
    def __init__(self) -> None:
        self._stop: Any = None

    def begin(self) -> None:
        self._stop = _stop_variable()

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._stop)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results:
            tf.logging.info("Early stopping, as the chief says.")
            run_context.request_stop()


def _stop_if_threshold(
    crossed: Callable[[Any, Any], bool],
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None,
    min_steps: int,
    every: tuple[Any, Any],
) -> Any:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if crossed(value, threshold):
                tf.logging.info("%s = %s at step %d: stopping.", metric_name, value, step)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, *every)


def stop_if_higher_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Stops when a metric is above a threshold.

    Args:
      estimator: The `Estimator`.
      metric_name: The metric, as evaluations write it.
      threshold: The limit.
      eval_dir: Where the evaluations are; None for the unnamed one.
      min_steps: Does not stop before this step.
      run_every_secs: See `make_early_stopping_hook`.
      run_every_steps: See `make_early_stopping_hook`.

    Returns:
      A hook.
    """
    every = (run_every_secs, run_every_steps)
    return _stop_if_threshold(
        operator.gt, estimator, metric_name, threshold, eval_dir, min_steps, every
    )


def stop_if_lower_hook(
    estimator: Any,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Stops when a metric is below a threshold. The arguments: `stop_if_higher_hook`."""
    every = (run_every_secs, run_every_steps)
    return _stop_if_threshold(
        operator.lt, estimator, metric_name, threshold, eval_dir, min_steps, every
    )


def _stop_if_stuck(
    better: Callable[[Any, Any], bool],
    estimator: Any,
    metric_name: str,
    patience: int,
    eval_dir: str | None,
    min_steps: int,
    every: tuple[Any, Any],
) -> Any:
    folder = eval_dir or estimator.eval_dir()

    def should_stop() -> bool:
        best, best_step = None, None
        for step, metrics in read_eval_metrics(folder).items():
            if step < min_steps:
                continue
            value = metrics[metric_name]
            if best is None or better(value, best):
                best, best_step = value, step
            if best_step is not None and step - best_step >= patience:
                tf.logging.info(
                    "%s has not improved on %s for %d steps: stopping.",
                    metric_name,
                    best,
                    step - best_step,
                )
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, *every)


def stop_if_no_increase_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Stops when a metric has not grown for so many steps.

    Args:
      estimator: The `Estimator`.
      metric_name: The metric, as evaluations write it.
      max_steps_without_increase: How many steps of training may pass without a new best.
      eval_dir: Where the evaluations are; None for the unnamed one.
      min_steps: Evaluations before this step don't count.
      run_every_secs: See `make_early_stopping_hook`.
      run_every_steps: See `make_early_stopping_hook`.

    Returns:
      A hook.
    """
    return _stop_if_stuck(
        operator.gt,
        estimator,
        metric_name,
        max_steps_without_increase,
        eval_dir,
        min_steps,
        (run_every_secs, run_every_steps),
    )


def stop_if_no_decrease_hook(
    estimator: Any,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> Any:
    """Stops when a metric has not fallen for so many steps. See `stop_if_no_increase_hook`."""
    return _stop_if_stuck(
        operator.lt,
        estimator,
        metric_name,
        max_steps_without_decrease,
        eval_dir,
        min_steps,
        (run_every_secs, run_every_steps),
    )


def read_eval_metrics(eval_dir: str) -> dict[int, dict[str, float]]:
    """The metrics of all evaluations in a folder.

    Args:
      eval_dir: The folder of the event files.

    Returns:
      Global step -> metric -> value, by step.
    """
    found: dict[int, dict[str, float]] = collections.defaultdict(dict)
    for path in tf.io.gfile.glob(os.path.join(eval_dir, _EVENTS)):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                if value.WhichOneof("value") == "simple_value":
                    found[event.step][value.tag] = value.simple_value
    return dict(sorted((step, metrics) for step, metrics in found.items() if metrics))
