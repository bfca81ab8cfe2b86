"""`TPUEstimatorSpec`: what a model_fn for a `TPUEstimator` returns."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import model_fn as model_fn_lib
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.tf1_shim.contrib import summary as contrib_summary

__all__ = ["TPUEstimatorSpec"]


class _TPUEstimatorSpec(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metrics: Any
    export_outputs: Any
    scaffold_fn: Any
    host_call: Any
    training_hooks: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class TPUEstimatorSpec(_TPUEstimatorSpec):
    """Like an `EstimatorSpec`, with functions for what must not run on a TPU."""

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metrics: Any = None,
        export_outputs: Any = None,
        scaffold_fn: Any = None,
        host_call: Any = None,
        training_hooks: Iterable[Any] | None = None,
        evaluation_hooks: Iterable[Any] | None = None,
        prediction_hooks: Iterable[Any] | None = None,
    ) -> TPUEstimatorSpec:
        """Checks the fields.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dict of tensors.
          loss: A scalar.
          train_op: The operation that makes one step.
          eval_metrics: (function, tensors): the function takes the tensors, a list in its order or
            a dict by its names, and returns what ``EstimatorSpec.eval_metric_ops`` takes.
          export_outputs: Signature name -> `ExportOutput`.
          scaffold_fn: Returns a ``tf.compat.v1.train.Scaffold``.
          host_call: (function, tensors) as above: what the function returns is run in each step.
          training_hooks: Hooks of training.
          evaluation_hooks: Hooks of evaluation.
          prediction_hooks: Hooks of prediction.

        Returns:
          The spec, a named tuple.

        Raises:
          ValueError: If a pair of function and tensors is none, or a field that the mode needs is
            missing.
          TypeError: If a function can't be called, or a field has a wrong type.
          RuntimeError: If a function does not take as many tensors as there are.
        """
        _check_calls(eval_metrics=eval_metrics, host_call=host_call)
        hooks = {
            name: model_fn_lib._checked_hooks(name, given)
            for name, given in (
                ("training_hooks", training_hooks),
                ("evaluation_hooks", evaluation_hooks),
                ("prediction_hooks", prediction_hooks),
            )
        }
        predictions = model_fn_lib._checked_predictions(predictions, mode)
        if mode == ModeKeys.PREDICT:
            export_outputs = model_fn_lib._checked_exports(export_outputs, predictions)
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=model_fn_lib._checked_loss(loss, mode),
            train_op=model_fn_lib._checked_train_op(train_op, mode),
            eval_metrics=eval_metrics,
            export_outputs=export_outputs,
            scaffold_fn=scaffold_fn,
            host_call=host_call,
            **hooks,
        )

    def as_estimator_spec(self) -> EstimatorSpec:
        """The same for an `Estimator`: the functions are called here.

        Returns:
          The `EstimatorSpec`.
        """
        metrics = call(self.eval_metrics)
        hooks = () if self.host_call is None else (HostCallHook(call(self.host_call)),)
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks + hooks,
            evaluation_hooks=self.evaluation_hooks + hooks,
            prediction_hooks=self.prediction_hooks + hooks,
        )


def _check_calls(**calls: Any) -> None:
    for name, given in calls.items():
        if given is None:
            continue
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise ValueError(f"{name} must be a pair (function, tensors). Received: {given!r}")
        function, tensors = given
        if not callable(function):
            raise TypeError(f"{name}[0] must be a function. Received: {function!r}")
        if not isinstance(tensors, (tuple, list, dict)):
            raise ValueError(f"{name}[1] must be a list or a dict. Received: {tensors!r}")
        if isinstance(tensors, dict):
            continue
        parameters = inspect.signature(function).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            continue
        taken = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if len(taken) != len(tensors):
            raise RuntimeError(
                f"{name}: the function takes {len(taken)} arguments, but there are {len(tensors)} "
                f"tensors. Received: {function!r}"
            )


def call(given: Any) -> Any:
    """What a pair of function and tensors gives; None for None."""
    if given is None:
        return None
    function, tensors = given
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


class HostCallHook(tf.train.SessionRunHook):
    """Runs what a host call returned in each step, and its summary writers."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def begin(self) -> None:
        self._init = contrib_summary.summary_writer_initializer_op()
        self._flush = [tf.raw_ops.FlushSummaryWriter(writer=op.inputs[0]) for op in self._init]

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._init)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._tensors)

    def end(self, session: Any) -> None:
        session.run(self._flush)
