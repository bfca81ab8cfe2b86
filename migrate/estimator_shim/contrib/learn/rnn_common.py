"""What contrib.learn's recurrent Estimators share: cells, the last outputs, losses and metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn.constants import PredictionKey, ProblemType
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys
from migrate.tf1_shim.contrib import layers
from migrate.tf1_shim.nn import rnn_cell

__all__ = [
    "PredictionType",
    "RNNKeys",
    "apply_dropout",
    "construct_rnn_cell",
    "get_eval_metric_ops",
    "mask_activations_and_labels",
    "select_last_activations",
]

_CELLS = {
    "basic_rnn": rnn_cell.BasicRNNCell,
    "lstm": rnn_cell.LSTMCell,
    "gru": rnn_cell.GRUCell,
}


class RNNKeys:
    """How recurrent Estimators call features and predictions."""

    FINAL_STATE_KEY = "final_state"
    LABELS_KEY = "__labels__"
    SEQUENCE_LENGTH_KEY = "sequence_length"
    STATE_PREFIX = "rnn_cell_state"


class PredictionType:
    """Whether a sequence gets one prediction, after its last step, or one after each step."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


def construct_rnn_cell(
    num_units: int | Sequence[int],
    cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Sequence[float | None] | None = None,
) -> Any:
    """The cell that an Estimator makes of these arguments.

    Args:
      num_units: The size, or a list of sizes: cells one on another.
      cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
      dropout_keep_probabilities: See `apply_dropout`; None for no dropout.

    Returns:
      An `RNNCell`.

    Raises:
      TypeError: If the type is neither a class nor one of these names.
      ValueError: If it is no class of cells, or the number of probabilities does not fit.
    """
    sizes = num_units if isinstance(num_units, (list, tuple)) else [num_units]
    cls = _CELLS.get(cell_type, cell_type)
    if not isinstance(cls, type) or not issubclass(cls, rnn_cell.RNNCell):
        raise (ValueError if isinstance(cls, type) else TypeError)(
            f"cell_type must be one of {sorted(_CELLS)}, or a class of cells. "
            f"Received: {cell_type!r}"
        )
    cells = [cls(num_units=size) for size in sizes]
    if dropout_keep_probabilities:
        cells = apply_dropout(cells, dropout_keep_probabilities)
    return cells[0] if len(cells) == 1 else rnn_cell.MultiRNNCell(cells)


def apply_dropout(
    cells: Sequence[Any],
    dropout_keep_probabilities: Sequence[float | None],
    random_seed: int | None = None,
) -> list[Any]:
    """Cells with dropout before each of them, and after the last.

    Args:
      cells: One on another.
      dropout_keep_probabilities: Which share is kept, one more than there are cells.
      random_seed: The seed of the dropout of all cells but the last, as in TF1.

    Returns:
      `DropoutWrapper` cells.

    Raises:
      ValueError: If the number of probabilities does not fit.
    """
    keep = list(dropout_keep_probabilities)
    if len(keep) != len(cells) + 1:
        raise ValueError(
            "dropout_keep_probabilities must be one more than there are cells. "
            f"Received: {keep} for {len(cells)} cells"
        )
    wrapped = [
        rnn_cell.DropoutWrapper(cell, share, 1.0, seed=random_seed)
        for cell, share in zip(cells[:-1], keep[:-2], strict=True)
    ]
    return [*wrapped, rnn_cell.DropoutWrapper(cells[-1], keep[-2], keep[-1])]


def select_last_activations(activations: Any, sequence_lengths: Any) -> Any:
    """What comes out at the last step of each sequence.

    Args:
      activations: [batch_size, steps, size].
      sequence_lengths: Int32 [batch_size]; None: all sequences are as long as the batch.

    Returns:
      [batch_size, size].
    """
    with tf.name_scope("select_last_activations"):
        batch, steps, size = tf.unstack(tf.shape(activations), num=3)
        lengths = steps if sequence_lengths is None else sequence_lengths
        last = tf.gather(tf.reshape(activations, [-1, size]), tf.range(batch) * steps + lengths - 1)
        last.set_shape([activations.shape[0], activations.shape[2]])
        return last


def mask_activations_and_labels(
    activations: Any, labels: Any, sequence_lengths: Any
) -> tuple[Any, Any]:
    """Outputs and labels of all steps that sequences have, one after the other.

    Args:
      activations: [batch_size, steps, size], or [batch_size, steps].
      labels: [batch_size, steps].
      sequence_lengths: Int32 [batch_size]; None: all sequences are as long as the batch.

    Returns:
      The activations [n, size] (or [n]; [n, 1] without lengths) and the labels [n].
    """
    with tf.name_scope("mask_activations_and_labels"):
        shape = tf.shape(labels)
        if sequence_lengths is None:
            count = shape[0] * shape[1]
            return tf.reshape(activations, [count, -1]), tf.reshape(labels, [count])
        mask = tf.sequence_mask(sequence_lengths, shape[1])
        return tf.boolean_mask(activations, mask), tf.boolean_mask(labels, mask)


def get_eval_metric_ops(
    problem_type: int,
    prediction_type: int,
    sequence_length: Any,
    prediction_dict: Mapping[str, Any],
    labels: Any,
) -> dict[str, Any]:
    """The metrics besides the loss: "accuracy" for classes, none for regression.

    Args:
      problem_type: One of `ProblemType`.
      prediction_type: One of `PredictionType`.
      sequence_length: Int32 [batch_size], or None.
      prediction_dict: The predictions.
      labels: The labels.

    Returns:
      Name -> (value, update).
    """
    if problem_type != ProblemType.CLASSIFICATION:
        return {}
    classes = prediction_dict[PredictionKey.CLASSES]
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        classes, labels = mask_activations_and_labels(classes, labels, sequence_length)
    return {"accuracy": tf.metrics.accuracy(labels, classes)}


class Target:
    """What is predicted: a class (of two or more), or a number."""

    def __init__(self, problem_type: int, num_classes: int | None) -> None:
        """Checks the arguments.

        Raises:
          ValueError: If the problem is none of the two, or num_classes is missing or below 2.
        """
        if problem_type == ProblemType.LINEAR_REGRESSION:
            self.kind, self.size = "Regressor", 1
        elif problem_type == ProblemType.CLASSIFICATION:
            if not num_classes or num_classes < 2:
                raise ValueError(
                    f"Classes need num_classes, at least 2. Received: num_classes={num_classes!r}"
                )
            self.kind, self.size = "Classifier", 1 if num_classes == 2 else num_classes
        else:
            raise ValueError(
                "problem_type must be ProblemType.LINEAR_REGRESSION or "
                f"ProblemType.CLASSIFICATION. Received: {problem_type!r}"
            )
        self.problem_type = problem_type

    def loss(self, logits: Any, labels: Any) -> Any:
        """The mean over all rows."""
        if self.kind == "Classifier" and self.size > 1:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels of classes must be integers. Received: {labels!r}")
            if labels.shape.rank == 2:
                labels = tf.squeeze(labels, [1])
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            return tf.reduce_mean(each, name="loss")
        if labels.shape.rank == 1:
            labels = tf.expand_dims(labels, 1)
        labels = tf.cast(labels, tf.float32)
        if self.kind == "Classifier":
            each = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
        else:
            logits.shape.assert_is_compatible_with(labels.shape)
            each = tf.squared_difference(logits, labels)
        return tf.reduce_mean(each, name="loss")

    def predictions(self, logits: Any, probabilities: bool) -> dict[str, Any]:
        """Of logits [n, size]: "classes" (and "probabilities") or "scores"."""
        if self.kind == "Regressor":
            return {PredictionKey.SCORES: tf.squeeze(logits, [1])}
        if self.size == 1:
            logits = tf.concat([tf.zeros_like(logits), logits], 1)
        if not probabilities:
            return {PredictionKey.CLASSES: tf.argmax(logits, 1)}
        found = tf.nn.softmax(logits)
        return {PredictionKey.PROBABILITIES: found, PredictionKey.CLASSES: tf.argmax(found, 1)}


def predictions_of_steps(target: Target, activations: Any, probabilities: bool) -> dict[str, Any]:
    """Predictions after each step, of activations [batch_size, steps, size]."""
    batch, steps, _ = tf.unstack(tf.shape(activations), num=3)
    flat = target.predictions(tf.reshape(activations, [-1, target.size]), probabilities)
    return {
        key: tf.reshape(value, [batch, steps, *value.shape.as_list()[1:]])
        for key, value in flat.items()
    }


def loss_of_steps(target: Target, activations: Any, labels: Any, lengths: Any) -> Any:
    """The loss over all steps that sequences have."""
    with tf.name_scope("MultiValueLoss"):
        return target.loss(*mask_activations_and_labels(activations, labels, lengths))


def states(state: Any) -> dict[str, Any]:
    """The parts of a state as predictions: "rnn_cell_state_0" …"""
    with tf.name_scope("state_tuple_to_dict"):
        return {
            f"{RNNKeys.STATE_PREFIX}_{i}": tf.identity(part, name=f"{RNNKeys.STATE_PREFIX}_{i}")
            for i, part in enumerate(tf.nest.flatten(state))
        }


def optimizer_of(given: Any, learning_rate: float, momentum: float | None) -> Any:
    """What `layers.optimize_loss` takes."""
    if isinstance(given, str) and given == "Momentum":
        return tf.train.MomentumOptimizer(learning_rate, momentum)
    return given


def train_op(mode: str, loss: Any, learning_rate: Any, optimizer: Any, clip: float | None) -> Any:
    """The operation of a step; None unless this is training."""
    if mode != ModeKeys.TRAIN:
        return None
    return layers.optimize_loss(
        loss=loss, global_step=None, learning_rate=learning_rate, optimizer=optimizer,
        clip_gradients=clip, summaries=layers.OPTIMIZER_SUMMARIES,
    )  # fmt: skip
