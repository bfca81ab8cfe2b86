"""`Estimator.train`: the graph of training, its hooks in TF1's order, and the loop."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _distribute, _graph, _guard, _steps
from migrate.estimator_shim._tf_config import TaskType
from migrate.estimator_shim.hooks import _training
from migrate.estimator_shim.mode_keys import ModeKeys

#: How often workers of MultiWorkerMirroredStrategy save, if seconds are asked for.
_COLLECTIVE_SAVE_STEPS = 1000


def saved_step(model_dir: str) -> int:
    """The global step of the newest checkpoint; 0 without one."""
    path = tf.train.latest_checkpoint(model_dir)
    if not path:
        return 0
    try:
        return int(tf.train.NewCheckpointReader(path).get_tensor(tf.GraphKeys.GLOBAL_STEP))
    except tf.errors.NotFoundError:
        return 0
    except (tf.errors.OpError, IndexError) as e:  # the reader translates only some errors
        raise _graph.damaged(path, str(e)) from e


def train(
    estimator: Any,
    input_fn: Callable[..., Any],
    hooks: list[Any],
    steps: int | None,
    max_steps: int | None,
    listeners: list[Any],
) -> Any:
    """Builds the graph and trains.

    Args:
      estimator: The Estimator.
      input_fn: The training data.
      hooks: The user's hooks.
      steps: See `Estimator.train`.
      max_steps: See `Estimator.train`.
      listeners: The user's listeners.

    Returns:
      The loss of the last step, or None if there was none.
    """
    strategy = estimator.config.train_distribute
    new_graph = _graph.new_graph(estimator)
    if strategy is not None:
        _distribute.configure(estimator, strategy)
        new_graph = _distribute.new_graph(estimator, strategy)
    with new_graph as graph:
        if strategy is None:
            spec, input_hooks = _graph.build(estimator, input_fn, ModeKeys.TRAIN)
        else:
            spec, input_hooks = _distribute.build_train(estimator, strategy, input_fn, graph)
        latest = estimator.latest_checkpoint()
        _graph.warm_start(estimator, latest)
        _summarise_loss(spec.loss)
        _add_saver(estimator.config, spec.scaffold)
        run = _Run(estimator, spec, listeners, steps, max_steps)
        run.collect(input_hooks, hooks)
        return run.loop(graph, latest)


def _summarise_loss(loss: Any) -> None:
    """A summary called "loss", unless the model_fn wrote one; and TF1's collection of losses."""
    if not any(s.op.name == "loss" for s in tf.get_collection(tf.GraphKeys.SUMMARIES)):
        tf.summary.scalar("loss", loss)
    tf.add_to_collection(tf.GraphKeys.LOSSES, loss)


def _add_saver(config: Any, scaffold: Any) -> None:
    """TF1's saver of Estimators, unless the model_fn brought its own."""
    if scaffold.saver or tf.get_collection(tf.GraphKeys.SAVERS):
        return
    tf.add_to_collection(
        tf.GraphKeys.SAVERS,
        tf.train.Saver(
            sharded=True,
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        ),
    )


class _Run:
    """One call of train: its hooks and its session."""

    def __init__(
        self,
        estimator: Any,
        spec: Any,
        listeners: list[Any],
        steps: int | None,
        max_steps: int | None,
    ) -> None:
        self.config = estimator.config
        self.session_config = estimator._session_config
        self.model_dir = estimator.model_dir
        self.spec = spec
        self.listeners = listeners
        self.steps = steps
        self.max_steps = max_steps
        self.chief_hooks: list[Any] = []
        self.worker_hooks: list[Any] = []
        self.plan = _steps.Plan(spec)

    def collect(self, input_hooks: list[Any], user_hooks: list[Any]) -> None:
        """All hooks: first the chief's, then everyone's, each group in TF1's order."""
        config, spec, plan = self.config, self.spec, self.plan
        after = _training.step_after(spec.train_op)
        workers = [*input_hooks, *user_hooks]
        if self.steps is not None or self.max_steps is not None:
            stop = tf.train.StopAtStepHook(num_steps=self.steps, last_step=self.max_steps)
            workers.append(plan.stop(stop, self.steps, self.max_steps))
        workers.append(tf.train.NanTensorHook(spec.loss))
        if config.log_step_count_steps is not None:
            step = tf.train.get_global_step()
            log = _training.LoggingHook(spec.loss, step, config.log_step_count_steps)
            workers.append(plan.watch(log))
        workers.extend(spec.training_hooks)
        self.worker_hooks = workers
        if self._is_collective():
            self._collect_collective(after)
            return
        chief = self.chief_hooks
        saver = self._saver_hook(after)
        if saver is not None:
            chief.append(saver)
        chief.extend(spec.training_chief_hooks)
        # Beside a master, who evaluates too, the first worker writes summaries.
        with_master = {TaskType.MASTER, TaskType.WORKER} <= set(config.cluster_spec.jobs)
        if not with_master:
            chief.extend(self._event_hooks(self.model_dir, after))
        elif config.task_type == TaskType.WORKER and config.task_id == 0:
            workers.extend(reversed(self._event_hooks(self.model_dir, after)))
        ours = len(input_hooks) + len(plan.watched) + 1
        plan.alone = len(chief) + len(workers) == ours + (plan.last_hook is not None)

    def _saver_hook(self, after: Any) -> Any:
        """The hook that saves, unless there is one already, or none is wanted."""
        config = self.config
        everyone = [*self.worker_hooks, *self.spec.training_chief_hooks]
        savers = [h for h in everyone if isinstance(h, tf.train.CheckpointSaverHook)]
        if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            saver = _training.SaverHook(
                self.model_dir,
                config.save_checkpoints_secs or None,
                config.save_checkpoints_steps or None,
                self.spec.scaffold,
                self.listeners,
                self.plan,
                after,
            )
            return self.plan.watch(saver)
        if self.listeners:
            if not savers:
                raise ValueError(
                    "saving_listeners need checkpoints: set save_checkpoints_steps or "
                    "save_checkpoints_secs of the RunConfig, or add a CheckpointSaverHook. "
                    f"Received: {self.listeners!r}"
                )
            # The hook has no public way to add listeners after it was made.
            known = savers[0]._listeners
            known.extend(listener for listener in self.listeners if listener not in known)
        return None

    def _event_hooks(self, folder: str, after: Any) -> list[Any]:
        """The hooks that write steps per second and summaries."""
        config, found = self.config, []
        if config.log_step_count_steps:
            found.append(_training.CounterHook(config.log_step_count_steps, folder, after))
        if config.save_summary_steps:
            scaffold = self.spec.scaffold
            found.append(_training.SummaryHook(config.save_summary_steps, folder, scaffold, after))
        return [self.plan.watch(hook) for hook in found]

    def _is_collective(self) -> bool:
        config = self.config
        return bool(config.cluster_spec.jobs) and _distribute.is_collective(config.train_distribute)

    def _collect_collective(self, after: Any) -> None:
        """Hooks of a worker of MultiWorkerMirroredStrategy: all save and summarise together.

        Those operations wait for those of the others. What a worker other than the chief writes
        goes to a folder of its own, where nobody reads it.
        """
        config, hooks = self.config, self.worker_hooks
        if self.listeners:
            raise ValueError(
                "MultiWorkerMirroredStrategy takes no saving_listeners: they would be called at "
                f"each worker. Received: {self.listeners!r}"
            )
        folder = self.model_dir
        if config.is_chief:
            hooks.extend(self.spec.training_chief_hooks)
        else:
            folder = os.path.join(folder, f"tmp_{config.task_type}_{config.task_id}")
        hooks.extend(self._event_hooks(folder, after))
        every = config.save_checkpoints_steps
        if config.save_checkpoints_secs:
            every = _COLLECTIVE_SAVE_STEPS
            tf.logging.warning(
                "Workers' clocks differ, and they must save at the same step: "
                "save_checkpoints_secs=%s becomes save_checkpoints_steps=%d.",
                config.save_checkpoints_secs,
                every,
            )
        if every:
            hooks.append(
                _training.SaverHook(folder, None, every, self.spec.scaffold, [], self.plan, after)
            )

    def loop(self, graph: Any, latest: str | None) -> Any:
        """Runs steps until a hook, or the end of the input, stops them."""
        config, spec, plan = self.config, self.spec, self.plan
        if config.is_chief or self._is_collective():
            hooks = [*self.chief_hooks, *self.worker_hooks]
            creator = tf.train.ChiefSessionCreator(
                spec.scaffold, config.master, self.session_config, self.model_dir
            )
        else:
            hooks = self.worker_hooks
            creator = tf.train.WorkerSessionCreator(
                spec.scaffold,
                config.master,
                self.session_config,
                config.session_creation_timeout_secs,
            )
        if not config.is_chief or config.master or config.train_distribute is not None:
            plan.alone = False
        if self.steps is not None and self.steps < _steps.WORTHWHILE:
            plan.alone = False
        hooks.append(_training.LastBegin(graph, plan))
        tf.io.gfile.makedirs(self.model_dir)
        with contextlib.ExitStack() as stack:
            if config.is_chief:
                stack.enter_context(_guard.only_trainer(self.model_dir))
            with _graph.explain_restore(latest):
                session = tf.train.MonitoredSession(creator, hooks)
            with session:
                saver = next((h for h in hooks if isinstance(h, _training.SaverHook)), None)
                # Collective workers must save together: none of them may alone.
                if saver is not None and config.is_chief and not self._is_collective():
                    stack.enter_context(plan.termination)
                    plan.save = saver.save_last
                plan.run(session)
        if not plan.steps_done:
            tf.logging.warning("Training made no step: is the input empty?")
        return plan.loss
