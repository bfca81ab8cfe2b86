"""What a model_fn returns: `EstimatorSpec`, checked by mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.export.export_output import ExportOutput, PredictOutput
from migrate.estimator_shim.keras import metrics as keras_metrics
from migrate.estimator_shim.keras.metrics import is_keras_metric
from migrate.estimator_shim.mode_keys import ModeKeys

__all__ = ["EstimatorSpec", "ModeKeys"]

#: The metrics that an Estimator adds itself.
LOSS_KEY = "loss"
GLOBAL_STEP_KEY = "global_step"


class _EstimatorSpec(NamedTuple):
    mode: Any
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(_EstimatorSpec):
    """What a ``model_fn`` built, and how an `Estimator` is to run it.

    A named tuple of eleven fields. Which of them are needed depends on the mode:

    * ``ModeKeys.TRAIN``: ``loss`` and ``train_op``;
    * ``ModeKeys.EVAL``: ``loss``;
    * ``ModeKeys.PREDICT``: ``predictions``.

    The others may be given in every mode, so that one model_fn can fill them in always; what a
    mode does not use is checked all the same.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        export_outputs: Mapping[str, Any] | None = None,
        training_chief_hooks: Iterable[Any] | None = None,
        training_hooks: Iterable[Any] | None = None,
        scaffold: Any = None,
        evaluation_hooks: Iterable[Any] | None = None,
        prediction_hooks: Iterable[Any] | None = None,
    ) -> EstimatorSpec:
        """Checks the fields and fills in defaults.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dict of tensors.
          loss: A tensor of one element; it becomes a scalar.
          train_op: The operation (or tensor) that makes one step.
          eval_metric_ops: Name -> ``(value, update_op)`` as ``tf.compat.v1.metrics`` return it, or
            a Keras metric object that was already updated in this graph.
          export_outputs: Signature name -> `ExportOutput`. One of several must be called
            "serving_default"; a single one is it in any case, and so are the predictions if
            nothing is given.
          training_chief_hooks: Hooks that run only in the process that writes checkpoints.
          training_hooks: Hooks of training, in all processes.
          scaffold: A ``tf.compat.v1.train.Scaffold``: initialisers and the saver.
          evaluation_hooks: Hooks of evaluation.
          prediction_hooks: Hooks of prediction.

        Returns:
          The spec.

        Raises:
          ValueError: If a field that the mode needs is missing, the loss has more than one
            element, a tensor belongs to another graph, or no signature is the default one.
          TypeError: If a field has a wrong type.
        """
        train_op = _checked_train_op(train_op, mode)
        loss = _checked_loss(loss, mode)
        predictions = _checked_predictions(predictions, mode)
        metrics = _checked_metrics(eval_metric_ops)
        if mode == ModeKeys.PREDICT:
            export_outputs = _checked_exports(export_outputs, predictions)
        hooks = {
            "training_hooks": training_hooks,
            "training_chief_hooks": training_chief_hooks,
            "evaluation_hooks": evaluation_hooks,
            "prediction_hooks": prediction_hooks,
        }
        checked = {name: _checked_hooks(name, value) for name, value in hooks.items()}
        _check_graph(loss, train_op, predictions, metrics)
        scaffold = scaffold or tf.train.Scaffold()
        if not isinstance(scaffold, tf.train.Scaffold):
            raise TypeError(f"scaffold must be a tf.train.Scaffold. Received: {scaffold!r}")
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs=export_outputs,
            scaffold=scaffold,
            **checked,
        )


def _is_graph_value(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Operation, tf.Variable)) or tf.is_tensor(value)


def _checked_train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError("EstimatorSpec: mode 'train' needs train_op. Received: train_op=None")
    elif not _is_graph_value(train_op):
        raise TypeError(f"train_op must be an operation or a tensor. Received: {train_op!r}")
    return train_op


def _checked_loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError(f"EstimatorSpec: mode {mode!r} needs loss. Received: loss=None")
        return None
    if not tf.is_tensor(loss):
        raise TypeError(f"loss must be a tensor. Received: {loss!r}")
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"loss must be a scalar. Received: a tensor of shape {loss.shape}")
    return loss if loss.shape.rank in (0, None) else tf.reshape(loss, [])


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError(
                "EstimatorSpec: mode 'infer' needs predictions. Received: predictions=None"
            )
        return {}
    named = predictions if isinstance(predictions, dict) else {"predictions": predictions}
    for name, value in named.items():
        if not tf.is_tensor(value):
            raise TypeError(
                f"predictions must be a tensor or a dict of tensors. Received: {name!r}: {value!r}"
            )
    return predictions


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(
            f"eval_metric_ops must be a dict: name -> (value, update_op). Received: {metrics!r}"
        )
    for name, pair in metrics.items():
        if is_keras_metric(pair):
            keras_metrics.adopt(pair)
            continue
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(map(_is_graph_value, pair)):
            raise TypeError(
                "Values of eval_metric_ops must be pairs (value, update_op) of tensors or "
                f"operations, as tf.compat.v1.metrics return them. Received: {name!r}: {pair!r}"
            )
    return dict(metrics) if type(metrics) is not dict else metrics


def _checked_exports(exports: Any, predictions: Any) -> dict[str, Any]:
    default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if exports is None:
        return {default: PredictOutput(predictions)}
    if not isinstance(exports, dict):
        raise TypeError(
            f"export_outputs must be a dict: name -> ExportOutput. Received: {exports!r}"
        )
    for name, value in exports.items():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                "Values of export_outputs must be ClassificationOutput, RegressionOutput or "
                f"PredictOutput. Received: {name!r}: {value!r}"
            )
    exports = dict(exports)
    if len(exports) == 1:
        exports.setdefault(default, next(iter(exports.values())))
    if len(exports) > 1 and default not in exports:
        raise ValueError(
            f"Of several export_outputs one must be called {default!r}. Received: {sorted(exports)}"
        )
    return exports


def _checked_hooks(name: str, hooks: Any) -> tuple[Any, ...]:
    if isinstance(hooks, tf.train.SessionRunHook):
        raise TypeError(f"{name} must be a list of hooks, not a hook. Received: {hooks!r}")
    hooks = tuple(hooks or ())
    for hook in hooks:
        if not isinstance(hook, tf.train.SessionRunHook):
            raise TypeError(f"{name} must be SessionRunHook objects. Received: {hook!r}")
    return hooks


def _check_graph(loss: Any, train_op: Any, predictions: Any, metrics: dict[str, Any]) -> None:
    """Everything must belong to the graph that is being built."""
    graph = tf.get_default_graph()
    values: list[tuple[str, Any]] = [("loss", loss), ("train_op", train_op)]
    if isinstance(predictions, dict):
        values += [(f"predictions[{k!r}]", v) for k, v in predictions.items()]
    else:
        values.append(("predictions", predictions))
    for name, pair in metrics.items():
        if not is_keras_metric(pair):
            values += [(f"eval_metric_ops[{name!r}]", v) for v in pair]
    for name, value in values:
        if value is not None and hasattr(value, "graph") and value.graph is not graph:
            raise ValueError(
                f"{name} must belong to the default graph, in which the model_fn is called. "
                f"Received: {value!r} of another graph"
            )
