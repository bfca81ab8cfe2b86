"""Monitors of contrib.learn, which became hooks (``tf.estimator.SessionRunHook``)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _lazy

__all__ = [
    "BaseMonitor",
    "CaptureVariable",
    "CheckpointSaver",
    "EveryN",
    "LoggingTrainable",
    "NanLoss",
    "NanLossDuringTrainingError",
    "PrintTensor",
    "RunHookAdapterForMonitors",
    "StepCounter",
    "StopAtStep",
    "SummarySaver",
    "ValidationMonitor",
    "get_default_monitors",
    "replace_monitors_with_hooks",
]

NanLossDuringTrainingError = tf.train.NanLossDuringTrainingError


class BaseMonitor:
    """What happens around steps of training: override what you need.

    Before each step `step_begin` names tensors to fetch; after it `step_end` gets their values and
    may ask to stop.
    """

    def __init__(self) -> None:
        self._epoch: int | None = None
        self._estimator: Any = None
        self._estimator_locked = False
        self._max_steps: int | None = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether workers run it that are not the chief."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Tells which Estimator is trained.

        Args:
          estimator: The Estimator.

        Raises:
          ValueError: If there is another one already, or it is None.
        """
        if self._estimator_locked:
            raise ValueError(f"The monitor is in use. Received: {estimator!r}")
        if estimator is None:
            raise ValueError("A monitor needs an Estimator. Received: None")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Called once, before the session: may add to the graph.

        Args:
          max_steps: The global step to train to, if it is known.
        """
        self._max_steps = max_steps
        self._estimator_locked = True

    def end(self, session: Any = None) -> None:
        """Called once, at the end.

        Args:
          session: The session.
        """
        self._estimator_locked = False
        self._max_steps = None

    def epoch_begin(self, epoch: int) -> None:
        """Called by loops that know epochs.

        Args:
          epoch: Its number.
        """
        self._epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Called by loops that know epochs.

        Args:
          epoch: Its number.
        """
        self._epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Called before a step.

        Args:
          step: Its number.

        Returns:
          Tensors to fetch, or their names.
        """
        return []

    def step_end(self, step: int, output: dict[str, Any]) -> bool:
        """Called after a step.

        Args:
          step: Its number.
          output: Name -> value, of the tensors of `step_begin`.

        Returns:
          Whether to stop.
        """
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Called after `step_end`.

        Args:
          step: Its number.
          session: The session.
        """


class EveryN(BaseMonitor):
    """Does something at the first steps, every n steps, and at the last one."""

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        """Keeps the numbers.

        Args:
          every_n_steps: Steps between two times.
          first_n_steps: It runs in each of so many first steps.
        """
        super().__init__()
        self._every_n_steps = every_n_steps
        self._first_n_steps = first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step = 0
        self._every_n_step_begin_called = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `step_begin`."""
        return []

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `step_end`."""
        return False

    def every_n_post_step(self, step: int, session: Any) -> None:
        """See `post_step`."""

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        if (
            step <= self._first_n_steps
            or step >= self._every_n_steps + self._last_active_step
            or step == self._max_steps
        ):
            self._every_n_step_begin_called = True
            return self.every_n_step_begin(step)
        self._every_n_step_begin_called = False
        return []

    def step_end(self, step: int, output: dict[str, Any]) -> bool:
        """See `BaseMonitor`."""
        self._last_successful_step = step
        return self.every_n_step_end(step, output) if self._every_n_step_begin_called else False

    def post_step(self, step: int, session: Any) -> None:
        """See `BaseMonitor`."""
        if self._every_n_step_begin_called:
            self.every_n_post_step(step, session)
            self._last_active_step = step

    def end(self, session: Any = None) -> None:
        """See `BaseMonitor`; a last time for the last step."""
        super().end(session)
        last = self._last_successful_step
        if last is not None and last != self._last_active_step:
            self.every_n_post_step(last, session)


class StopAtStep(BaseMonitor):
    """Stops after so many steps, or at a global step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        """Takes one of the two.

        Args:
          num_steps: How many steps.
          last_step: The global step.

        Raises:
          ValueError: If both or neither is given.
        """
        super().__init__()
        if (num_steps is None) == (last_step is None):
            raise ValueError(
                f"Give num_steps or last_step, one of them. Received: {num_steps} and {last_step}"
            )
        self._num_steps = num_steps
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """See `BaseMonitor`."""
        super().step_begin(step)
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: dict[str, Any]) -> bool:
        """See `BaseMonitor`."""
        assert self._last_step is not None
        return step >= self._last_step


class PrintTensor(EveryN):
    """Logs the values of tensors."""

    def __init__(
        self, tensor_names: Iterable[str] | Mapping[str, str], every_n: int = 100, first_n: int = 1
    ) -> None:
        """Keeps the names.

        Args:
          tensor_names: Names, or a dict: how it is shown -> name.
          every_n: Steps between two times.
          first_n: It logs in each of so many first steps.
        """
        super().__init__(every_n, first_n)
        names = tensor_names if isinstance(tensor_names, Mapping) else {n: n for n in tensor_names}
        self._tensor_names = dict(names)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        return list(self._tensor_names.values())

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        shown = [f"{k} = {outputs[n]}" for k, n in self._tensor_names.items() if n in outputs]
        tf.logging.info("Step %d: %s", step, ", ".join(shown))
        return False


class LoggingTrainable(EveryN):
    """Logs the values of the trainable variables."""

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        """Keeps the scope.

        Args:
          scope: Only variables of this scope.
          every_n: Steps between two times.
          first_n: It logs in each of so many first steps.
        """
        super().__init__(every_n, first_n)
        self._scope = scope

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        self._names = [v.name for v in tf.trainable_variables(self._scope)]
        return self._names

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        tf.logging.info("Step %d: %s", step, {n: outputs[n] for n in self._names if n in outputs})
        return False


class CaptureVariable(EveryN):
    """Keeps the values of a variable: see `values`."""

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        """Keeps the name.

        Args:
          var_name: The tensor's name, such as "w:0".
          every_n: Steps between two times.
          first_n: It keeps the value of each of so many first steps.
        """
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._var_values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """Step -> value."""
        return self._var_values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        self._var_values[step] = outputs[self._var_name]
        return False


class NanLoss(EveryN):
    """Stops, or fails, when the loss is not a number."""

    def __init__(
        self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True
    ) -> None:
        """Keeps the tensor.

        Args:
          loss_tensor: The loss.
          every_n_steps: Steps between two times.
          fail_on_nan_loss: Whether to raise.
        """
        super().__init__(every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        return [self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        if not np.isnan(outputs[self._loss_tensor.name]):
            return False
        if self._fail_on_nan_loss:
            raise NanLossDuringTrainingError
        tf.logging.warn("The loss is NaN at step %d.", step)
        return True


class SummarySaver(EveryN):
    """Writes a summary."""

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        """Keeps the operation.

        Args:
          summary_op: The merged summary; None for the scaffold's.
          save_steps: Steps between two times.
          output_dir: Where the event file is, unless a writer is given.
          summary_writer: A ``FileWriter``.
          scaffold: A Scaffold with a ``summary_op``.
        """
        super().__init__(save_steps)
        self._summary_op = summary_op
        self._scaffold = scaffold
        self._writer = summary_writer
        if summary_writer is None and output_dir:
            self._writer = tf.summary.FileWriterCache.get(output_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """See `EveryN`."""
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        if self._summary_op is not None and self._writer is not None:
            self._writer.add_summary(outputs[self._summary_op.name], step)
        return False

    def end(self, session: Any = None) -> None:
        """See `BaseMonitor`."""
        super().end(session)
        if self._writer is not None:
            self._writer.flush()


class StepCounter(EveryN):
    """Writes steps per second as ``global_step/sec``."""

    def __init__(
        self, every_n_steps: int = 100, output_dir: str | None = None, summary_writer: Any = None
    ) -> None:
        """Keeps the writer.

        Args:
          every_n_steps: Steps between two times.
          output_dir: Where the event file is, unless a writer is given.
          summary_writer: A ``FileWriter``.
        """
        super().__init__(every_n_steps)
        self._writer = summary_writer
        if summary_writer is None and output_dir:
            self._writer = tf.summary.FileWriterCache.get(output_dir)
        self._last: tuple[int, float] | None = None

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """See `EveryN`."""
        now = time.time()
        if self._last is not None and self._writer is not None:
            speed = (step - self._last[0]) / max(now - self._last[1], 1e-9)
            value = tf.Summary.Value(tag="global_step/sec", simple_value=speed)
            self._writer.add_summary(tf.Summary(value=[value]), step)
        self._last = (step, now)
        return False


class CheckpointSaver(BaseMonitor):
    """Saves checkpoints by steps or by seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        """As ``tf.compat.v1.train.CheckpointSaverHook``, which does the work.

        Args:
          checkpoint_dir: The folder.
          save_secs: Seconds between saves.
          save_steps: Steps between saves.
          saver: A Saver.
          checkpoint_basename: The files' name.
          scaffold: A Scaffold, in place of the Saver.
        """
        super().__init__()
        self.hook = tf.train.CheckpointSaverHook(
            checkpoint_dir,
            save_secs=save_secs,
            save_steps=save_steps,
            saver=saver,
            checkpoint_basename=checkpoint_basename,
            scaffold=scaffold,
        )


class ValidationMonitor(EveryN):
    """Evaluates now and then, and may stop training early.

    `best_step`, `best_value` and `best_metrics` tell of the best evaluation, `early_stopped`
    whether it stopped training.
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Mapping[str, Any] | None = None,
        hooks: Iterable[Any] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Keeps what to evaluate on.

        Args:
          x: See `Estimator.evaluate` of contrib.learn.
          y: See there.
          input_fn: See there.
          batch_size: See there.
          eval_steps: How many batches.
          every_n_steps: Steps between evaluations.
          metrics: See there.
          hooks: See there.
          early_stopping_rounds: Stops if so many steps passed since the best value; None never.
          early_stopping_metric: Which metric.
          early_stopping_metric_minimize: Whether less is better.
          name: See there.
          check_interval_secs: Looks for a new checkpoint at most so often; None always.

        Raises:
          ValueError: If neither x nor input_fn is given.
        """
        super().__init__(every_n_steps, first_n_steps=-1)
        if x is None and input_fn is None:
            raise ValueError("ValidationMonitor needs x (and y) or input_fn. Received: neither")
        self._given = {"x": x, "y": y, "batch_size": batch_size, "metrics": metrics}
        self._common = {"input_fn": input_fn, "steps": eval_steps, "hooks": hooks, "name": name}
        self._rounds = early_stopping_rounds
        self._metric = early_stopping_metric
        self._minimize = early_stopping_metric_minimize
        self._interval = check_interval_secs
        self._looked: float | None = None
        self._latest: str | None = None
        self._latest_step: int | None = None
        self._best_step: int | None = None
        self._best_value: Any = None
        self._best_metrics: dict[str, Any] | None = None
        self._stopped = False

    @property
    def early_stopped(self) -> bool:
        """Whether it stopped training."""
        return self._stopped

    @property
    def best_step(self) -> int | None:
        """The step of the best value."""
        return self._best_step

    @property
    def best_value(self) -> Any:
        """The best value."""
        return self._best_value

    @property
    def best_metrics(self) -> dict[str, Any] | None:
        """All metrics of the best evaluation."""
        return self._best_metrics

    def _evaluate(self, path: str) -> dict[str, Any]:
        from migrate.estimator_shim.estimator import Estimator

        given = {k: v for k, v in self._given.items() if v is not None}
        if isinstance(self._estimator, Estimator):
            if given:
                raise ValueError(
                    "With an Estimator of tf.estimator, ValidationMonitor takes only input_fn. "
                    f"Received: {', '.join(given)}"
                )
            given = {}
        found: dict[str, Any] = self._estimator.evaluate(
            checkpoint_path=path, **given, **self._common
        )
        return found

    def every_n_step_end(self, step: int, outputs: dict[str, Any]) -> bool:
        """Evaluates, if there is a new checkpoint. See `EveryN`."""
        if self._estimator is None:
            raise ValueError("ValidationMonitor needs an Estimator: give it to fit or train")
        now = time.time()
        interval, looked = self._interval, self._looked
        if interval is not None and looked is not None and now - looked <= interval:
            return False
        self._looked = now
        path = tf.train.latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest:
            return False
        self._latest = path
        metrics = self._evaluate(path)
        if self._rounds is None:
            return False
        if self._metric not in metrics:
            raise ValueError(
                "early_stopping_metric must be one of an evaluation's. "
                f"Received: {self._metric!r}, of {sorted(metrics)}"
            )
        value = metrics[self._metric]
        better = self._best_value is None or (
            value < self._best_value if self._minimize else value > self._best_value
        )
        if better:
            self._best_value, self._best_metrics, self._best_step = value, metrics, step
        assert self._best_step is not None
        if step - self._best_step < self._rounds:
            return False
        tf.logging.info("Stopping: best step %s, %s.", self._best_step, self._best_metrics)
        self._stopped = True
        return True


class RunHookAdapterForMonitors(tf.train.SessionRunHook):
    """Monitors as a hook."""

    def __init__(self, monitors: Iterable[BaseMonitor]) -> None:
        """Wraps them.

        Args:
          monitors: The monitors.
        """
        self._monitors = list(monitors)

    def begin(self) -> None:
        """See ``SessionRunHook``."""
        self._last_step: int | None = None
        self._step = tf.train.get_global_step()
        for monitor in self._monitors:
            monitor.begin(max_steps=None)

    def before_run(self, run_context: Any) -> Any:
        """See ``SessionRunHook``."""
        if self._last_step is None:
            self._last_step = int(run_context.session.run(self._step)) + 1
        self._requests: dict[Any, list[Any]] = {}
        graph = run_context.session.graph
        fetches: dict[str, Any] = {}
        self._variables: dict[str, Any] = {}
        for monitor in self._monitors:
            asked = monitor.step_begin(self._last_step) or []
            self._requests[monitor] = [a if isinstance(a, str) else a.name for a in asked]
            for name in self._requests[monitor]:
                variable = _variable(graph, name)
                if variable is None:
                    fetches[name] = graph.as_graph_element(name)
                else:
                    self._variables[name] = variable
        return tf.train.SessionRunArgs(fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """See ``SessionRunHook``."""
        assert self._last_step is not None
        found = dict(run_values.results)
        if self._variables:
            found |= run_context.session.run(self._variables)
        for monitor in self._monitors:
            outputs = {name: found[name] for name in self._requests[monitor]}
            if monitor.step_end(self._last_step, outputs):
                run_context.request_stop()
        for monitor in self._monitors:
            monitor.post_step(self._last_step, run_context.session)
        # Not fetched with the step: whether that gives the old or the new value is chance.
        self._last_step = int(run_context.session.run(self._step)) + 1

    def end(self, session: Any) -> None:
        """See ``SessionRunHook``."""
        self._last_step = None
        for monitor in self._monitors:
            monitor.end(session)


def _variable(graph: Any, name: str) -> Any:
    """The variable whose handle is the tensor of this name, or None.

    Its value is what it has after the step, as that of TF1's variables was.
    """
    if getattr(graph.as_graph_element(name), "dtype", None) != tf.resource:
        return None
    variables = graph.get_collection(tf.GraphKeys.GLOBAL_VARIABLES)
    return next((v for v in variables if v.name == name), None)


def replace_monitors_with_hooks(monitors_or_hooks: Iterable[Any] | None, estimator: Any) -> Any:
    """Hooks in place of monitors.

    Args:
      monitors_or_hooks: Both kinds, mixed; or None.
      estimator: The Estimator that is trained.

    Returns:
      A list of hooks.

    Raises:
      ValueError: If one is neither.
    """
    hooks, monitors = [], []
    for found in monitors_or_hooks or []:
        if isinstance(found, CheckpointSaver):
            hooks.append(found.hook)
        elif isinstance(found, BaseMonitor):
            if found.run_on_all_workers or estimator.config.is_chief:
                monitors.append(found)
        elif isinstance(found, tf.train.SessionRunHook):
            hooks.append(found)
        else:
            raise ValueError(f"monitors must be monitors or hooks. Received: {found!r}")
    if monitors:
        for monitor in monitors:
            monitor.set_estimator(estimator)
        hooks.append(RunHookAdapterForMonitors(monitors))
    return hooks


def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """The monitors that training had by default.

    Args:
      loss_op: The loss, to be logged.
      summary_op: The merged summary.
      save_summary_steps: Steps between summaries.
      output_dir: Where the event file is.
      summary_writer: A ``FileWriter``.

    Returns:
      Monitors.
    """
    found: list[BaseMonitor] = []
    if loss_op is not None:
        found.append(PrintTensor(tensor_names={"loss": loss_op.name}))
    if summary_op is not None:
        found.append(SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer))
    return found


__getattr__ = _lazy.names(__name__, {}, "tf.contrib.learn.monitors")
