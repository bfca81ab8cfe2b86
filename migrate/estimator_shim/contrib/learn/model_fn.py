"""What contrib.learn's model_fns get and return: `ModeKeys` and `ModelFnOps`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn.constants import PredictionKey, ProblemType
from migrate.estimator_shim.export.export_output import (
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from migrate.estimator_shim.model_fn import LOSS_KEY, EstimatorSpec

__all__ = ["ModeKeys", "ModelFnOps"]


class ModeKeys:
    """`migrate.estimator_shim.ModeKeys` by its older names: ``INFER`` for ``PREDICT``.

    >>> ModeKeys.INFER
    'infer'
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks a mode.

        Args:
          key: The mode.

        Raises:
          ValueError: If it is none.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"The mode must be 'train', 'eval' or 'infer'. Received: {key!r}")


class _ModelFnOps(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    output_alternatives: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    mode: Any


def _tensor(value: Any) -> Any:
    return value if isinstance(value, tf.SparseTensor) else tf.convert_to_tensor(value)


class ModelFnOps(_ModelFnOps):
    """What a model_fn of contrib.learn returns; `estimator_spec` makes an `EstimatorSpec` of it.

    Training needs ``loss`` and ``train_op``, evaluation ``loss`` and ``predictions``, inference
    ``predictions``. ``output_alternatives`` maps a signature's name to ``(ProblemType, {name:
    tensor})`` for exports.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Any] | None = None,
        output_alternatives: Mapping[Any, Any] | None = None,
        training_chief_hooks: Iterable[Any] | None = None,
        training_hooks: Iterable[Any] | None = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        """Checks the fields.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dict of tensors.
          loss: A tensor of one element.
          train_op: The operation that makes one step.
          eval_metric_ops: Name -> ``(value, update_op)`` or a tensor.
          output_alternatives: See above.
          training_chief_hooks: Hooks of the process that writes checkpoints.
          training_hooks: Hooks of all processes.
          scaffold: A ``tf.compat.v1.train.Scaffold``.

        Returns:
          The object.

        Raises:
          ValueError: If the mode is none, a field that it needs is missing, or the loss has
            several elements.
          TypeError: If a hook is none.
        """
        ModeKeys.validate(mode)
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("ModelFnOps: mode 'train' needs train_op. Received: train_op=None")
        elif not isinstance(train_op, tf.Operation):
            train_op = tf.convert_to_tensor(train_op).op
        if loss is None:
            if mode != ModeKeys.INFER:
                raise ValueError(f"ModelFnOps: mode {mode!r} needs loss. Received: loss=None")
        else:
            loss = tf.convert_to_tensor(loss)
            if loss.shape.num_elements() not in (None, 1):
                raise ValueError(f"loss must be a scalar. Received: {loss}")
            loss = loss if loss.shape.rank in (0, None) else tf.reshape(loss, [])
        if predictions is None:
            if mode != ModeKeys.TRAIN:
                raise ValueError(
                    f"ModelFnOps: mode {mode!r} needs predictions. Received: predictions=None"
                )
        elif isinstance(predictions, dict):
            predictions = {name: _tensor(value) for name, value in predictions.items()}
        else:
            predictions = _tensor(predictions)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise ValueError(f"eval_metric_ops must be a dict. Received: {eval_metric_ops!r}")
        chief, every = list(training_chief_hooks or []), list(training_hooks or [])
        for hook in every + chief:
            if not isinstance(hook, tf.train.SessionRunHook):
                raise TypeError(f"Hooks must be SessionRunHook objects. Received: {hook!r}")
        return super().__new__(
            cls,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=eval_metric_ops if eval_metric_ops is not None else {},
            output_alternatives=output_alternatives,
            training_chief_hooks=chief,
            training_hooks=every,
            scaffold=scaffold,
            mode=mode,
        )

    def estimator_spec(
        self, default_serving_output_alternative_key: str | None = None
    ) -> EstimatorSpec:
        """The same for `migrate.estimator_shim.Estimator`.

        Args:
          default_serving_output_alternative_key: Which of several output_alternatives is the
            default signature.

        Returns:
          An `EstimatorSpec`.

        Raises:
          ValueError: If a problem type is unknown.
        """
        exports = None
        if self.output_alternatives:
            alternatives = dict(self.output_alternatives)
            default = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            if len(alternatives) > 1 and default not in alternatives:
                alternatives[default] = alternatives[default_serving_output_alternative_key]
            exports = {name: export_output(*value) for name, value in alternatives.items()}
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={k: v for k, v in self.eval_metric_ops.items() if k != LOSS_KEY},
            export_outputs=exports,
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


def export_output(problem_type: Any, outputs: dict[str, Any]) -> Any:
    """An `ExportOutput` from an output alternative.

    Args:
      problem_type: One of `ProblemType`.
      outputs: Name -> tensor.

    Returns:
      The `ExportOutput`.

    Raises:
      ValueError: If the problem type is unknown.
    """
    scores = outputs.get(PredictionKey.SCORES)
    scores = outputs.get(PredictionKey.PROBABILITIES) if scores is None else scores
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return RegressionOutput(scores)
    if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        classes = outputs.get(PredictionKey.CLASSES)
        # Only strings can be served as classes.
        return ClassificationOutput(
            scores, None if classes is None or classes.dtype != tf.string else classes
        )
    if problem_type == ProblemType.UNSPECIFIED:
        return PredictOutput(outputs)
    raise ValueError(f"problem_type must be one of ProblemType. Received: {problem_type!r}")
