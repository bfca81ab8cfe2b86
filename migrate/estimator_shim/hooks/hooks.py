"""Hooks that know their Estimator."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _checks, _evaluate, util
from migrate.estimator_shim.estimator import Estimator

__all__ = ["InMemoryEvaluatorHook", "make_stop_at_checkpoint_step_hook"]


class InMemoryEvaluatorHook(tf.train.SessionRunHook):
    """Evaluates during training, with the variables as they are in memory, without a checkpoint.

    It evaluates at the beginning, every so many steps, and at the end. The results go to the event
    files of `Estimator.eval_dir`. Only for training in one process.

    Example::

        hook = InMemoryEvaluatorHook(estimator, eval_input_fn, every_n_iter=1000)
        estimator.train(train_input_fn, hooks=[hook])
    """

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Iterable[Any] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        """Checks the arguments.

        Args:
          estimator: The `Estimator` that trains.
          input_fn: The evaluation data.
          steps: How many batches; None for all.
          hooks: More hooks of the evaluation.
          name: See `Estimator.evaluate`.
          every_n_iter: Steps of training between evaluations.

        Raises:
          ValueError: If every_n_iter or steps is not positive, or the Estimator is part of a
            cluster.
        """
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"every_n_iter must be positive. Received: {every_n_iter}")
        config = estimator.config
        if config.num_ps_replicas > 0 or config.num_worker_replicas > 1:
            raise ValueError(
                "InMemoryEvaluatorHook works only in a single process. Received: "
                f"{config.num_ps_replicas} parameter servers, {config.num_worker_replicas} workers"
            )
        _checks.check_positive(steps=steps)
        self._estimator = estimator
        self._input_fn = input_fn
        self._steps = steps
        self._hooks = util.check_hooks(hooks)
        self._name = name
        self._every = every_n_iter
        self._count = 0
        self._graph: Any = None

    def begin(self) -> None:
        """Builds the graph of the evaluation.

        Raises:
          ValueError: If the model's Scaffold has a saver or an init_fn, which would be overruled.
        """
        self._count = 0
        with _evaluate.new_graph(self._estimator) as self._graph:
            self._evaluation = _evaluate.Evaluation(self._estimator, self._input_fn)
            scaffold = self._evaluation.scaffold
            for what in ("saver", "init_fn"):
                if getattr(scaffold, what) is not None:
                    raise ValueError(
                        f"InMemoryEvaluatorHook can't evaluate a model with a {what} of its own: "
                        "variables come from memory. "
                        f"Received: a Scaffold with {what}={getattr(scaffold, what)!r}"
                    )
            self._variables = {
                v.op.name: v for v in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
            }
            self._feeds = {
                name: tf.placeholder(v.dtype.base_dtype) for name, v in self._variables.items()
            }

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Evaluates first of all.

        Raises:
          ValueError: If training has a state that is no variable, such as a table.
        """
        others = session.graph.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)
        if others:
            raise ValueError(
                "InMemoryEvaluatorHook takes over variables only; evaluate checkpoints instead. "
                f"Received: {others}"
            )
        trained = {
            v.op.name: v for v in session.graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
        }
        # What only the evaluation has keeps its initial value.
        self._sources = {n: trained[n] for n in self._feeds if n in trained}
        with self._graph.as_default():
            self._load = tf.group(*[self._assign(name) for name in self._sources])
        self._evaluate(session)

    def _assign(self, name: str) -> Any:
        variable, value = self._variables[name], self._feeds[name]
        if hasattr(variable, "handle"):
            value.set_shape(variable.shape)
            return variable.assign(value)
        return tf.assign(variable, value, validate_shape=False)

    def before_run(self, run_context: Any) -> None:
        """Nothing to fetch."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Evaluates every so many steps."""
        self._count += 1
        if self._count % self._every == 0:
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        """Evaluates a last time."""
        self._evaluate(session)

    def _evaluate(self, train_session: Any) -> None:
        values = train_session.run(self._sources)
        evaluation = self._evaluation
        with self._graph.as_default():
            final = tf.train.FinalOpsHook(evaluation.values)
            scaffold = evaluation.scaffold
            feed = {self._feeds[name]: value for name, value in values.items()}

            def load(_: Any, session: Any) -> None:
                session.run(self._load, feed)

            scaffold = tf.train.Scaffold(init_fn=load, copy_from_scaffold=scaffold)
            stop = [_evaluate._StopAfter(self._steps)] if self._steps is not None else []
            hooks = [*evaluation.input_hooks, *self._hooks, *stop, *evaluation.spec_hooks, final]
            creator = tf.train.ChiefSessionCreator(
                scaffold,
                self._estimator.config.evaluation_master,
                self._estimator._session_config,
            )
            with tf.train.MonitoredSession(creator, hooks) as session:
                while not session.should_stop():
                    session.run(evaluation.update)
        folder = self._estimator.eval_dir(self._name)
        _evaluate.write_summary(folder, final.final_ops_values, None)


class _StopAtCheckpointStep(tf.train.SessionRunHook):
    """Stops when the chief has written the checkpoint of the last step."""

    def __init__(self, model_dir: str, last_step: int, wait: float) -> None:
        if last_step is None:
            raise ValueError("last_step must be given. Received: None")
        if model_dir is None:
            raise ValueError("model_dir must be given. Received: None")
        self._path = os.path.join(model_dir, f"model.ckpt-{last_step}.index")
        self._last_step = last_step
        self._wait = wait
        self._step: Any = None

    def begin(self) -> None:
        self._step = tf.train.get_global_step()

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = run_values.results + 1
        if step < self._last_step:
            return
        step = run_context.session.run(self._step)
        if step < self._last_step:
            return
        if tf.io.gfile.exists(self._path):
            run_context.request_stop()
        else:
            tf.logging.info("Waiting for %s.", self._path)
            time.sleep(self._wait)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: int = 30
) -> Any:
    """A hook that stops when a step is reached: a worker's when its checkpoint is there too.

    Args:
      estimator: The `Estimator`.
      last_step: The global step to train to.
      wait_after_file_check_secs: How long a worker waits before it looks for the checkpoint again.

    Returns:
      A hook for the ``hooks`` of `Estimator.train` or `TrainSpec`.
    """
    if estimator.config.is_chief:
        return tf.train.StopAtStepHook(last_step=last_step)
    return _StopAtCheckpointStep(estimator.model_dir, last_step, wait_after_file_check_secs)
