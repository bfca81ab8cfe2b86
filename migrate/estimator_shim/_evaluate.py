"""`Estimator.evaluate`: metrics over the evaluation data, and their event files."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _distribute, _graph
from migrate.estimator_shim.keras import metrics as keras_metrics
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import GLOBAL_STEP_KEY, LOSS_KEY


class _StopAfter(tf.train.SessionRunHook):
    """Stops after so many batches, and logs how far it is."""

    def __init__(self, steps: int | None) -> None:
        self._steps = steps
        self._done = 0
        self._every = max(1, (steps or 1000) // 10)

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._done = 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._done += 1
        if self._done % self._every == 0 or self._done == self._steps:
            total = "inf" if self._steps is None else self._steps
            tf.logging.info("Evaluation [%d/%s]", self._done, total)
        if self._done == self._steps:
            run_context.request_stop()


class Evaluation:
    """The graph of an evaluation: what to run per batch, and what at the end."""

    def __init__(self, estimator: Any, input_fn: Callable[..., Any]) -> None:
        strategy = estimator.config.eval_distribute
        loss: Any
        if strategy is None:
            spec, self.input_hooks = _graph.build(estimator, input_fn, ModeKeys.EVAL)
            self.scaffold, self.spec_hooks = spec.scaffold, list(spec.evaluation_hooks)
            metrics, loss = keras_metrics.pairs(spec.eval_metric_ops), spec.loss
        else:
            metrics, loss, self.spec_hooks, self.scaffold, self.input_hooks = (
                _distribute.build_eval(estimator, strategy, input_fn)
            )
        for reserved in (LOSS_KEY, GLOBAL_STEP_KEY):
            if reserved in metrics:
                raise ValueError(
                    f"The metric {reserved!r} is the Estimator's own: call yours something else. "
                    f"Received: {sorted(map(str, metrics))}"
                )
        if strategy is None:
            metrics[LOSS_KEY] = tf.metrics.mean(loss)
        else:
            metrics[LOSS_KEY] = _distribute.mean_loss(strategy, loss)
        names = sorted(metrics, key=str)  # the order in which programs print them
        self.update = tf.group(*[metrics[name][1] for name in names])
        self.values = {name: metrics[name][0] for name in names}
        self.values[GLOBAL_STEP_KEY] = tf.train.get_global_step()
        self.scaffold = _initialize_all(self.scaffold)


def _initialize_all(scaffold: Any) -> Any:
    """The scaffold; its local_init_op also knows the local variables made after it."""
    if scaffold.local_init_op is None:
        return scaffold
    both = tf.group(scaffold.local_init_op, tf.train.Scaffold.default_local_init_op())
    return tf.train.Scaffold(local_init_op=both, copy_from_scaffold=scaffold)


@contextlib.contextmanager
def new_graph(estimator: Any) -> Iterator[Any]:
    """A graph to evaluate in, with a global step, in the scope of the strategy if there is one."""
    strategy = estimator.config.eval_distribute
    if strategy is None:
        with _graph.new_graph(estimator, placed=False) as graph:
            yield graph
    else:
        with _distribute.new_graph(estimator, strategy) as graph:
            estimator._create_and_assert_global_step(graph)
            yield graph


def evaluate(
    estimator: Any,
    input_fn: Callable[..., Any],
    steps: int | None,
    hooks: list[Any],
    checkpoint_path: str | None,
    name: str | None,
) -> dict[str, Any]:
    """See `Estimator.evaluate`."""
    checkpoint = checkpoint_path or estimator.latest_checkpoint()
    if not checkpoint:
        tf.logging.info(
            "No checkpoint in model_dir %s: evaluating initial values.", estimator.model_dir
        )
    with new_graph(estimator):
        graph = Evaluation(estimator, input_fn)
        _graph.warm_start(estimator, checkpoint)
        final = tf.train.FinalOpsHook(graph.values)
        stop = [_StopAfter(steps)] if steps is not None else []
        all_hooks = [*graph.input_hooks, *hooks, *stop, *graph.spec_hooks, final]
        update = tf.group(graph.update, _count_batches())
        creator = tf.train.ChiefSessionCreator(
            _initialize_all(graph.scaffold),
            master=estimator._config.evaluation_master,
            config=estimator._session_config,
            checkpoint_filename_with_path=checkpoint,
        )
        started = time.time()
        tf.logging.info("Starting evaluation of %s", checkpoint)
        with _graph.explain_restore(checkpoint):
            session = tf.train.MonitoredSession(creator, all_hooks)
        with session:
            while not session.should_stop():
                session.run(update)
        tf.logging.info("Finished evaluation in %.1f s", time.time() - started)
        values: dict[str, Any] = final.final_ops_values
        write_summary(estimator.eval_dir(name), values, checkpoint)
    return values


def _count_batches() -> Any:
    """Counts in the variable that hooks look at, such as contrib.training's."""
    known = tf.get_collection(tf.GraphKeys.EVAL_STEP)
    if not known:
        with tf.variable_scope("", reuse=tf.AUTO_REUSE):
            tf.get_variable(
                "eval_step",
                [],
                tf.int64,
                tf.zeros_initializer(),
                trainable=False,
                collections=[tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.EVAL_STEP],
            )
    return tf.assign_add(tf.get_collection(tf.GraphKeys.EVAL_STEP)[0], 1)


def write_summary(folder: str, values: dict[str, Any], checkpoint: str | None) -> None:
    """Writes the metrics, and which checkpoint they belong to, into an event file.

    Args:
      folder: Where the event file is.
      values: What `evaluate` returns. Numbers become scalars, arrays tensors, and serialized
        ``Summary`` messages are taken apart.
      checkpoint: The checkpoint's path, or None.
    """
    shown = sorted((k, v) for k, v in values.items() if k != GLOBAL_STEP_KEY)
    step = values[GLOBAL_STEP_KEY]
    tf.logging.info("Metrics at step %d: %s", step, ", ".join(f"{k} = {v}" for k, v in shown))
    writer = tf.summary.FileWriterCache.get(folder)
    summary = tf.Summary()
    for name, value in values.items():
        if value is not None and name != GLOBAL_STEP_KEY:
            _add_value(summary, name, value)
    writer.add_summary(summary, step)
    writer.flush()
    if checkpoint:
        path = tf.make_tensor_proto(checkpoint, dtype=tf.string)
        message = tf.Summary(value=[tf.Summary.Value(tag="checkpoint_path", tensor=path)])
        writer.add_summary(message, step)
        writer.flush()


def _add_value(summary: Any, name: str, value: Any) -> None:
    if isinstance(value, (float, int, np.float32, np.int32, np.int64)):
        summary.value.add(tag=name, simple_value=float(value))
    elif isinstance(value, bytes):
        try:
            parsed = tf.Summary.FromString(value)
        except Exception:  # protobuf's DecodeError is of different modules in its versions
            tf.logging.warn("No summary for %s: the string is no serialized Summary.", name)
            return
        for i, part in enumerate(parsed.value):
            part.tag = f"{name}/{i}"
        summary.value.extend(parsed.value)
    elif isinstance(value, np.ndarray):
        added = summary.value.add(tag=name, node_name=name)
        added.tensor.CopyFrom(tf.make_tensor_proto(value))
    else:
        tf.logging.warn(
            "No summary for %s: it must be a number, an array or a Summary. Received: %r",
            name,
            value,
        )
