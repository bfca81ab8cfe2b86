"""`Experiment`: training, evaluation and export of one Estimator."""

from __future__ import annotations

import inspect
import math
import os
import time
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import monitors
from migrate.estimator_shim.contrib.learn.export_strategy import ExportStrategy
from migrate.estimator_shim.contrib.learn.trainable import Evaluable, Trainable
from migrate.estimator_shim.estimator import Estimator

__all__ = ["Experiment"]


class Experiment:
    """All that is needed to train and evaluate an Estimator, of contrib.learn or of tf.estimator.

    `migrate.estimator_shim.train_and_evaluate` is newer.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[[], Any],
        eval_input_fn: Callable[[], Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Iterable[Any] | None = None,
        eval_hooks: Iterable[Any] | None = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Iterable[Any] | None = None,
        check_interval_secs: float = 5,
    ) -> None:
        """Keeps the parts.

        Args:
          estimator: The Estimator.
          train_input_fn: The training data.
          eval_input_fn: The evaluation data.
          eval_metrics: Name -> `MetricSpec`; only for an Estimator of contrib.learn.
          train_steps: The global step to train to; None until the input ends.
          eval_steps: How many batches an evaluation has; None for all.
          train_monitors: Monitors or hooks of training.
          eval_hooks: Hooks of evaluation.
          local_eval_frequency: ``min_eval_frequency`` of `local_run`.
          eval_delay_secs: How long evaluations wait at first.
          continuous_eval_throttle_secs: The least time between continuous evaluations.
          min_eval_frequency: Steps between evaluations in `train_and_evaluate`; 1 if None, 0 never.
          delay_workers_by_global_step: Whether workers wait for steps of the others, not for time.
          export_strategies: An `ExportStrategy` or several.
          train_steps_per_iteration: Steps between evaluations of `continuous_train_and_eval`.
          checkpoint_and_export: Whether to evaluate and export at each checkpoint.
          saving_listeners: ``CheckpointSaverListener`` objects; only for tf.estimator's.
          check_interval_secs: How often evaluation in training looks for a checkpoint.

        Raises:
          ValueError: If arguments don't go with the kind of the Estimator.
        """
        self._core = isinstance(estimator, Estimator)
        if self._core and eval_metrics is not None:
            raise ValueError(
                "eval_metrics are for Estimators of contrib.learn; use eval_metric_ops of the "
                f"EstimatorSpec. Received: {eval_metrics!r}"
            )
        if not self._core:
            if not isinstance(estimator, Evaluable) or not isinstance(estimator, Trainable):
                raise ValueError(f"estimator must be an Estimator. Received: {estimator!r}")
            if saving_listeners is not None:
                raise ValueError(
                    "saving_listeners are for Estimators of tf.estimator. "
                    f"Received: {saving_listeners!r}"
                )
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError(
                f"train_steps_per_iteration must be an int. Received: {train_steps_per_iteration!r}"
            )
        self._estimator = estimator
        self._train_input_fn = train_input_fn
        self._eval_input_fn = eval_input_fn
        self._eval_metrics = eval_metrics
        self._train_steps = train_steps
        self._eval_steps = eval_steps
        self._train_monitors = list(train_monitors or [])
        self._eval_hooks = list(eval_hooks or [])
        self._local_eval_frequency = local_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._delay_by_step = delay_workers_by_global_step
        self._strategies = _strategies(export_strategies)
        self._steps_per_iteration = train_steps_per_iteration
        self._checkpoint_and_export = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._check_interval_secs = check_interval_secs

    @property
    def estimator(self) -> Any:
        """The Estimator."""
        return self._estimator

    @property
    def eval_metrics(self) -> Any:
        """The metrics."""
        return self._eval_metrics

    @property
    def train_steps(self) -> int | None:
        """The global step to train to."""
        return self._train_steps

    @property
    def eval_steps(self) -> int | None:
        """How many batches an evaluation has."""
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Iterable[Any]) -> None:
        """Adds hooks of training.

        Args:
          additional_hooks: The hooks.
        """
        self._train_monitors.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Any:
        """Replaces the strategies.

        Args:
          new_export_strategies: The new ones.

        Returns:
          The old ones.
        """
        old = self._strategies
        self._strategies = _strategies(new_export_strategies)
        return old

    def train(self, delay_secs: float | None = None) -> Any:
        """Trains; workers of a cluster later than the chief.

        Args:
          delay_secs: How long to wait; None for 5 s times the task's number.

        Returns:
          The trained Estimator.
        """
        return self._train_with(self._train_monitors, delay_secs)

    def _train_with(self, hooks: list[Any], delay_secs: float | None) -> Any:
        config = self._estimator.config
        if config.cluster_spec.jobs and config.master:
            self._start_server()
        more: list[Any] = []
        task = config.task_id or 0
        if delay_secs is None and self._delay_by_step:
            more.append(tf.train.GlobalStepWaiterHook(int(8000.0 * math.log(task + 1))))
            delay_secs = 0
        elif delay_secs is None:
            delay_secs = min(60, task * 5)
        if delay_secs > 0:
            tf.logging.info("Waiting %d s before training.", delay_secs)
            time.sleep(delay_secs)
        return self._call_train(hooks + more, max_steps=self._train_steps)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> Any:
        """Evaluates the newest checkpoint once.

        Args:
          delay_secs: How long to wait; None for ``eval_delay_secs``.
          name: The evaluation's name; "one_pass" if None.

        Returns:
          The metrics.
        """
        delay = self._eval_delay_secs if delay_secs is None else delay_secs
        if delay:
            time.sleep(delay)
        return self._call_evaluate(self._eval_input_fn, name or "one_pass")

    def local_run(self) -> Any:
        """`train_and_evaluate` with ``local_eval_frequency``."""
        return self._run(self._local_eval_frequency)

    def train_and_evaluate(self) -> Any:
        """Trains, evaluates now and then, and evaluates and exports at the end.

        Returns:
          ``(metrics, what the export strategies returned)``.
        """
        return self._run(self._min_eval_frequency)

    def _run(self, frequency: int | None) -> Any:
        hooks = list(self._train_monitors)
        config = self._estimator.config
        saving = config.save_checkpoints_secs or config.save_checkpoints_steps
        listener = None
        if self._checkpoint_and_export and saving:
            listener = _EvaluateAndExport(self)
            hooks.append(
                tf.train.CheckpointSaverHook(
                    self._estimator.model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    listeners=[listener],
                )
            )
        elif frequency:
            hooks.append(
                monitors.ValidationMonitor(
                    input_fn=self._eval_input_fn,
                    eval_steps=self._eval_steps,
                    metrics=self._eval_metrics,
                    every_n_steps=frequency,
                    check_interval_secs=self._check_interval_secs,
                    hooks=self._eval_hooks,
                )
            )
        self._train_with(hooks, 0)
        if listener is not None:
            return listener.metrics, listener.exports
        metrics = self._call_evaluate(self._eval_input_fn, None)
        return metrics, self._export(metrics)

    def continuous_eval(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports checkpoints as they come, until train_steps are reached.

        Args:
          delay_secs: How long to wait at first; None for ``eval_delay_secs``.
          throttle_delay_secs: The least time between evaluations.
          evaluate_checkpoint_only_once: Whether to wait for a new one.
          continuous_eval_predicate_fn: Takes the last metrics (and ``checkpoint_path``) and tells
            whether to go on.
          name: The evaluation's name.
        """
        self._continuous(
            self._eval_input_fn,
            delay_secs,
            throttle_delay_secs,
            evaluate_checkpoint_only_once,
            continuous_eval_predicate_fn,
            name,
            True,
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: float | None = None,
        throttle_delay_secs: float | None = None,
        continuous_eval_predicate_fn: Callable[..., bool] | None = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """`continuous_eval` on the training data, without exports."""
        predicate = continuous_eval_predicate_fn
        self._continuous(
            self._train_input_fn, delay_secs, throttle_delay_secs, True, predicate, name, False
        )

    def _continuous(
        self,
        input_fn: Callable[[], Any],
        delay_secs: float | None,
        throttle_secs: float | None,
        only_once: bool,
        predicate: Any,
        name: str,
        export: bool,
    ) -> None:
        goes_on = _predicate(predicate)
        delay = self._eval_delay_secs if delay_secs is None else delay_secs
        throttle = self._throttle_secs if throttle_secs is None else throttle_secs
        if delay:
            time.sleep(delay)
        previous: str | None = None
        metrics: dict[str, Any] | None = None
        while goes_on(metrics, previous) and not self._reached(metrics):
            started = time.time()
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            if not latest or (only_once and latest == previous):
                metrics = {}
            else:
                metrics = self._call_evaluate(input_fn, name, latest) or {}
                if export:
                    self._export(metrics, latest)
                previous = latest
            if not self._reached(metrics):
                time.sleep(max(0.0, throttle - (time.time() - started)))

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Callable[..., bool] | None = None
    ) -> Any:
        """Trains and evaluates in turns, until train_steps are reached.

        Args:
          continuous_eval_predicate_fn: See `continuous_eval`.

        Returns:
          ``(metrics, what the export strategies returned)`` of the last turn.
        """
        goes_on = _predicate(continuous_eval_predicate_fn)
        steps = 1000 if self._train_steps is None else int(self._train_steps / 10)
        steps = steps if self._steps_per_iteration is None else self._steps_per_iteration
        metrics, exports, latest = None, None, None
        while goes_on(metrics, latest if metrics else None) and not self._reached(metrics):
            self._call_train(self._train_monitors, steps=steps)
            latest = tf.train.latest_checkpoint(self._estimator.model_dir)
            metrics = self._call_evaluate(self._eval_input_fn, "one_pass", latest)
            exports = self._export(metrics)
        return metrics, exports

    def test(self) -> Any:
        """One step of training, one of evaluation, and the exports.

        Returns:
          The metrics.
        """
        self._call_train(self._train_monitors, steps=1)
        metrics = self._call_evaluate(self._eval_input_fn, "one_pass", steps=1)
        self._export(metrics)
        return metrics

    def run_std_server(self) -> None:
        """Serves a cluster, for ever."""
        self._start_server().join()

    def _reached(self, metrics: dict[str, Any] | None) -> bool:
        step = (metrics or {}).get(tf.GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)

    def _call_train(
        self, hooks: list[Any], steps: int | None = None, max_steps: int | None = None
    ) -> Any:
        found = monitors.replace_monitors_with_hooks(hooks, self._estimator)
        if self._core:
            return self._estimator.train(
                input_fn=self._train_input_fn,
                steps=steps,
                max_steps=max_steps,
                hooks=found,
                saving_listeners=self._saving_listeners,
            )
        return self._estimator.fit(
            input_fn=self._train_input_fn, steps=steps, max_steps=max_steps, monitors=found
        )

    def _call_evaluate(
        self,
        input_fn: Callable[[], Any],
        name: str | None,
        checkpoint_path: str | None = None,
        steps: int | None = None,
    ) -> Any:
        more = {} if self._core else {"metrics": self._eval_metrics}
        return self._estimator.evaluate(
            input_fn=input_fn,
            steps=self._eval_steps if steps is None else steps,
            name=name,
            checkpoint_path=checkpoint_path,
            hooks=self._eval_hooks,
            **more,
        )

    def _export(self, metrics: Any, checkpoint_path: str | None = None) -> list[Any]:
        base = os.path.join(self._estimator.model_dir, "export")
        return [
            strategy.export(
                self._estimator,
                os.path.join(base, strategy.name),
                checkpoint_path=checkpoint_path,
                eval_result=metrics,
            )
            for strategy in self._strategies
        ]

    def _start_server(self) -> Any:
        config = self._estimator.config
        if not config.cluster_spec.jobs or not config.master:
            raise ValueError(
                "A server needs a cluster of several tasks in TF_CONFIG. "
                f"Received: {config.cluster_spec}"
            )
        return tf.train.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.session_config,
        )


class _EvaluateAndExport(tf.train.CheckpointSaverListener):
    """Evaluates and exports each checkpoint."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._previous: str | None = None
        self.metrics: Any = None
        self.exports: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """See ``CheckpointSaverListener``."""
        experiment = self._experiment
        latest = tf.train.latest_checkpoint(experiment.estimator.model_dir)
        if latest and latest != self._previous:
            input_fn = experiment._eval_input_fn
            self.metrics = experiment._call_evaluate(input_fn, "intermediate_export", latest)
            self.exports = experiment._export(self.metrics, latest)
            self._previous = latest


def _strategies(found: Any) -> tuple[ExportStrategy, ...]:
    found = [found] if isinstance(found, ExportStrategy) else list(found or [])
    for strategy in found:
        if not isinstance(strategy, ExportStrategy):
            raise ValueError(
                f"export_strategies must be ExportStrategy objects. Received: {strategy!r}"
            )
    return tuple(found)


def _predicate(function: Any) -> Callable[[Any, Any], bool]:
    """Whether to go on, from the last metrics and their checkpoint."""
    if function is None:
        return lambda metrics, path: True
    if not callable(function):
        raise ValueError(f"continuous_eval_predicate_fn must be a function. Received: {function!r}")
    if "checkpoint_path" in inspect.signature(function).parameters:
        return lambda metrics, path: function(metrics, checkpoint_path=path)
    return lambda metrics, path: function(metrics)
