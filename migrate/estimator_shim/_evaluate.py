"""`Estimator.evaluate`: metrics over the evaluation data, and their event files."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _graph
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
        spec, self.input_hooks = _graph.build(estimator, input_fn, ModeKeys.EVAL)
        self.scaffold = spec.scaffold
        self.spec_hooks = list(spec.evaluation_hooks)
        metrics = dict(spec.eval_metric_ops)
        for reserved in (LOSS_KEY, GLOBAL_STEP_KEY):
            if reserved in metrics:
                raise ValueError(
                    f"The metric {reserved!r} is the Estimator's own: call yours something else. "
                    f"Received: {sorted(map(str, metrics))}"
                )
        metrics[LOSS_KEY] = tf.metrics.mean(spec.loss)
        ordered = [metrics[k] for k in sorted(metrics, key=str)]
        self.update = tf.group(*[update for _, update in ordered])
        self.values = {name: value for name, (value, _) in metrics.items()}
        self.values[GLOBAL_STEP_KEY] = tf.train.get_global_step()


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
    with _graph.new_graph(estimator):
        graph = Evaluation(estimator, input_fn)
        _graph.warm_start(estimator, checkpoint)
        final = tf.train.FinalOpsHook(graph.values)
        stop = [_StopAfter(steps)] if steps is not None else []
        all_hooks = [*graph.input_hooks, *hooks, *stop, *graph.spec_hooks, final]
        creator = tf.train.ChiefSessionCreator(
            graph.scaffold,
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
                session.run(graph.update)
        tf.logging.info("Finished evaluation in %.1f s", time.time() - started)
        values: dict[str, Any] = final.final_ops_values
        write_summary(estimator.eval_dir(name), values, checkpoint)
    return values


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
    if isinstance(value, (float, int, np.floating, np.integer)) and not isinstance(value, bool):
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
