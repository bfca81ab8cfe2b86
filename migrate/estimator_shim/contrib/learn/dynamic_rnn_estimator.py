"""contrib.learn's `DynamicRnnEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import rnn_common
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from migrate.estimator_shim.contrib.learn.rnn_common import PredictionType, RNNKeys
from migrate.tf1_shim.contrib import layers

__all__ = ["DynamicRnnEstimator", "PredictionType", "dict_to_state_tuple", "state_tuple_to_dict"]

_OUTPUT = "dynamic_rnn_output"

state_tuple_to_dict = rnn_common.states


def dict_to_state_tuple(input_dict: Mapping[str, Any], cell: Any) -> Any:
    """The first state of a cell, of features "rnn_cell_state_0" …

    Args:
      input_dict: The features.
      cell: The cell.

    Returns:
      A state as nested as the cell's, or None if no feature is one.

    Raises:
      ValueError: If only a part of the state is there.
    """
    sizes = tf.nest.flatten(cell.state_size)
    names = [f"{RNNKeys.STATE_PREFIX}_{i}" for i in range(len(sizes))]
    given = [input_dict[name] for name in names if name in input_dict]
    if not given:
        return None
    if len(given) != len(sizes):
        raise ValueError(
            f"The state has {len(sizes)} parts, {names}; features must have all of them or none. "
            f"Received: {sorted(set(names) & set(input_dict))}"
        )
    checked = []
    for size, value in zip(sizes, given, strict=True):
        checks = [
            tf.debugging.assert_rank(value, 2),
            tf.debugging.assert_equal(tf.shape(value)[1], size),
        ]
        with tf.control_dependencies(checks):
            checked.append(tf.identity(value))
    return tf.nest.pack_sequence_as(cell.state_size, checked)


def _inputs(features: Mapping[str, Any], columns: Any, context_columns: Any) -> Any:
    """The input of the network, [batch_size, steps, size]; context is the same at each step."""
    features = dict(features)
    every = [*columns, *(context_columns or ())]
    features.update(layers.transform_features(features, every))
    inputs = layers.sequence_input_from_feature_columns(
        columns_to_tensors=features, feature_columns=columns
    )
    if context_columns is None:
        return inputs
    context = layers.input_from_feature_columns(
        columns_to_tensors=features, feature_columns=context_columns
    )
    return tf.concat([inputs, tf.tile(context[:, None], [1, tf.shape(inputs)[1], 1])], 2)


class DynamicRnnEstimator(estimator_lib.Estimator):
    """A recurrent network on sequences, with a prediction for each, or for each of their steps.

    Features may hold "sequence_length", int32 [batch_size], and the first state
    "rnn_cell_state_0" … float32 [batch_size, size]; without these all sequences are as long as
    the batch, and states are zero. Predictions hold the last state under the same names, and
    "classes" (with "probabilities", if these are wanted) or "scores".

    Variables: "rnn/basic_rnn_cell/kernel" …, "fully_connected/weights", "fully_connected/biases".
    """

    def __init__(
        self,
        problem_type: int,
        prediction_type: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float | None] | None = None,
        model_dir: str | None = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        config: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          problem_type: ``ProblemType.CLASSIFICATION`` or ``ProblemType.LINEAR_REGRESSION``.
          prediction_type: ``PredictionType.SINGLE_VALUE`` (1) or ``MULTIPLE_VALUE`` (2).
          sequence_feature_columns: Columns of contrib.layers, of values [batch_size, steps, …].
          context_feature_columns: Columns of contrib.layers, whose values go into each step.
          num_classes: The number of classes.
          num_units: The sizes of the cells, one on another.
          cell_type: See `rnn_common.construct_rnn_cell`.
          optimizer: See ``contrib.layers.optimize_loss``.
          learning_rate: Unless optimizer is an object.
          predict_probabilities: Whether predictions of classes have "probabilities".
          momentum: For the optimizer "Momentum".
          gradient_clipping_norm: The norm that gradients are clipped to; None: they are not.
          dropout_keep_probabilities: See `rnn_common.apply_dropout`; in training only.
          model_dir: Where to save.
          feature_engineering_fn: From (features, labels) to others, before the model.
          config: A `RunConfig`.

        Raises:
          ValueError: If problem_type or prediction_type is unknown, num_classes is missing, or
            probabilities are wanted of a regression.
        """
        kinds = {
            PredictionType.SINGLE_VALUE: "SingleValue", PredictionType.MULTIPLE_VALUE: "MultiValue"
        }  # fmt: skip
        if prediction_type not in kinds:
            raise ValueError(
                "prediction_type must be PredictionType.SINGLE_VALUE or "
                f"PredictionType.MULTIPLE_VALUE. Received: {prediction_type!r}"
            )
        target = rnn_common.Target(problem_type, num_classes)
        if predict_probabilities and target.kind == "Regressor":
            raise ValueError(
                "Only classes have probabilities. Received: predict_probabilities=True, "
                f"problem_type={problem_type!r}"
            )
        name = f"{kinds[prediction_type]}DynamicRNN{target.kind}"
        columns = list(sequence_feature_columns)
        context = None if context_feature_columns is None else list(context_feature_columns)
        optimizer = rnn_common.optimizer_of(optimizer, learning_rate, momentum)
        single = prediction_type == PredictionType.SINGLE_VALUE

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            with tf.name_scope(name):
                lengths = features.get(RNNKeys.SEQUENCE_LENGTH_KEY)
                inputs = _inputs(features, columns, context)
                dropout = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
                assert num_units is not None
                cell = rnn_common.construct_rnn_cell(num_units, cell_type, dropout)
                first = dict_to_state_tuple(features, cell)
                with tf.name_scope("RNN"):
                    outputs, state = tf.nn.dynamic_rnn(
                        cell, inputs, initial_state=first, dtype=tf.float32, swap_memory=True
                    )
                    activations = layers.fully_connected(outputs, target.size, activation_fn=None)
                loss = None
                if single:
                    last = rnn_common.select_last_activations(activations, lengths)
                    predictions = target.predictions(last, predict_probabilities)
                else:
                    predictions = rnn_common.predictions_of_steps(
                        target, activations, predict_probabilities
                    )
                alternatives = {_OUTPUT: (problem_type, dict(predictions))} if single else None
                metrics = None
                if mode != ModeKeys.INFER:
                    loss = (
                        target.loss(last, labels)
                        if single
                        else rnn_common.loss_of_steps(target, activations, labels, lengths)
                    )
                    metrics = rnn_common.get_eval_metric_ops(
                        problem_type, prediction_type, lengths, predictions, labels
                    )
                predictions.update(rnn_common.states(state))
                train_op = rnn_common.train_op(
                    mode, loss, learning_rate, optimizer, gradient_clipping_norm
                )
            return ModelFnOps(mode, predictions, loss, train_op, metrics, alternatives)

        super().__init__(model_fn, model_dir, config, feature_engineering_fn=feature_engineering_fn)
