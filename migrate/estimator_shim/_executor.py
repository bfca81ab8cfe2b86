"""What a process does in `train_and_evaluate`: alone, or as one task of a cluster."""

from __future__ import annotations

import os
import time
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim._tf_config import TaskType
from migrate.estimator_shim.model_fn import GLOBAL_STEP_KEY

_DELAY_PER_WORKER = 5
_LONGEST_DELAY = 60


class Evaluator:
    """Evaluates the newest checkpoint, once each, and calls the exporters."""

    def __init__(self, estimator: Any, eval_spec: Any, max_steps: int | None) -> None:
        self._estimator = estimator
        self._spec = eval_spec
        self._max_steps = max_steps
        self._previous: str | None = None
        self.metrics: dict[str, Any] | None = None
        self.exports: list[Any] | None = None
        self.final = False

    def evaluate(self) -> bool:
        """Evaluates and exports; False if there is no new checkpoint."""
        latest = self._estimator.latest_checkpoint()
        if not latest or latest == self._previous:
            return False
        self.metrics = self._estimator.evaluate(
            input_fn=self._spec.input_fn,
            steps=self._spec.steps,
            name=self._spec.name,
            checkpoint_path=latest,
            hooks=self._spec.hooks,
        )
        self._previous = latest
        step = self.metrics[GLOBAL_STEP_KEY]
        self.final = bool(self._max_steps) and step >= self._max_steps
        base = os.path.join(self._estimator.model_dir, "export")
        self.exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(base, exporter.name),
                checkpoint_path=latest,
                eval_result=self.metrics,
                is_the_final_export=self.final,
            )
            for exporter in self._spec.exporters
        ]
        return True


class _EvaluateOnSave(tf.train.CheckpointSaverListener):
    """Evaluates after saves, at most every so many seconds, and after the last one in any case."""

    def __init__(self, evaluator: Evaluator, throttle_secs: float) -> None:
        self._evaluator = evaluator
        self._timer = tf.train.SecondOrStepTimer(every_secs=throttle_secs)
        self._first = True

    def begin(self) -> None:
        self._timer.reset()
        self._first = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        # The first checkpoint is of the state before training.
        if self._first:
            self._first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            tf.logging.info("No evaluation of this checkpoint: throttle_secs have not passed.")

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        if not self._evaluator.evaluate():
            raise RuntimeError(
                f"There is no new checkpoint to evaluate at step {step}. Does another process "
                "write to the same model_dir, or does the model_fn not increment the global step?"
            )


class Executor:
    """One process's part."""

    def __init__(self, estimator: Any, train_spec: Any, eval_spec: Any) -> None:
        self._estimator = estimator
        self._train_spec = train_spec
        self._eval_spec = eval_spec
        self._config = estimator.config

    def run(self) -> Any:
        """Plays the part that TF_CONFIG gives."""
        job = self._config.task_type
        if job == TaskType.EVALUATOR:
            return self.run_evaluator()
        if not self._config.cluster_spec.jobs:
            return self.run_local()
        if job == TaskType.PS:
            return self.run_ps()
        if job == TaskType.MASTER:
            return self.run_master()
        if job == TaskType.CHIEF:
            return self.run_chief()
        if job == TaskType.WORKER:
            return self.run_worker()
        raise ValueError(f"TF_CONFIG: no task of type {job!r} is known to train_and_evaluate")

    def run_local(self) -> Any:
        """Training that stops for evaluations."""
        evaluator = self._train_with_evaluations()
        return evaluator.metrics, evaluator.exports

    def run_master(self) -> None:
        """A chief that evaluates too, as clusters of the first days had it."""
        self._start_server()
        self._train_with_evaluations()

    def run_chief(self) -> None:
        """Trains and saves."""
        self._start_server()
        self._train()

    def run_worker(self) -> None:
        """Trains; later than the chief, so that there is something to wait for."""
        longest = self._config.experimental_max_worker_delay_secs
        longest = _LONGEST_DELAY if longest is None else longest
        delay = min(longest, (self._config.task_id + 1) * _DELAY_PER_WORKER)
        self._start_server()
        if delay > 0:
            tf.logging.info("Waiting %d s before training.", delay)
            time.sleep(delay)
        self._train()

    def run_ps(self) -> None:
        """Serves variables, for ever."""
        self._start_server().join()

    def run_evaluator(self) -> None:
        """Evaluates each new checkpoint until one has reached max_steps."""
        if self._eval_spec.start_delay_secs:
            tf.logging.info("Evaluation starts in %d s.", self._eval_spec.start_delay_secs)
            time.sleep(self._eval_spec.start_delay_secs)
        evaluator = Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        while not evaluator.final:
            started = time.time()
            if not evaluator.evaluate():
                tf.logging.info("No new checkpoint to evaluate yet.")
            wait = self._eval_spec.throttle_secs - (time.time() - started)
            if wait > 0 and not evaluator.final:
                time.sleep(wait)

    def _train_with_evaluations(self) -> Evaluator:
        evaluator = Evaluator(self._estimator, self._eval_spec, self._train_spec.max_steps)
        self._train([_EvaluateOnSave(evaluator, self._eval_spec.throttle_secs)])
        return evaluator

    def _train(self, listeners: Any = ()) -> None:
        self._estimator.train(
            input_fn=self._train_spec.input_fn,
            max_steps=self._train_spec.max_steps,
            hooks=list(self._train_spec.hooks),
            saving_listeners=listeners,
        )

    def _start_server(self) -> Any:
        config = self._config
        if not config.master:
            return None
        # Not its device filters: those are for sessions.
        session_config = tf.ConfigProto(gpu_options=config.session_config.gpu_options)
        server = tf.train.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=session_config,
            start=False,
            protocol=config.protocol,
        )
        server.start()
        return server
