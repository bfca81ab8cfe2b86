"""contrib.learn's `StateSavingRnnEstimator`: long sequences in segments that share their states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn import rnn_common
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps
from migrate.estimator_shim.contrib.learn.rnn_common import PredictionType, RNNKeys
from migrate.tf1_shim.contrib import layers
from migrate.tf1_shim.contrib.training import batch_sequences_with_states
from migrate.tf1_shim.nn import rnn_cell

__all__ = ["StateSavingRnnEstimator"]


def _state_names(cell: Any) -> Any:
    """Names as nested as the cell's state."""
    size, prefix = cell.state_size, RNNKeys.STATE_PREFIX
    if isinstance(size, int):
        return f"{prefix}_0"
    if isinstance(size, rnn_cell.LSTMStateTuple):
        return [f"{prefix}_0_c", f"{prefix}_0_h"]
    if isinstance(size[0], rnn_cell.LSTMStateTuple):
        return [[f"{prefix}_{i}_c", f"{prefix}_{i}_h"] for i in range(len(size))]
    return [f"{prefix}_{i}" for i in range(len(size))]


def _named(features: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    missing = sorted(set(names) - set(features))
    if missing:
        raise ValueError(f"Features must hold {missing}. Received: {sorted(features)}")
    return {name: features[name] for name in names}


def _inputs(batch: Any, sequences: Any, columns: Any, steps: int) -> list[Any]:
    """The input of each step, [batch_size, size]; context is the same at each."""
    inputs = layers.sequence_input_from_feature_columns(
        columns_to_tensors=sequences, feature_columns=columns
    )
    inputs.set_shape([None, steps, None])
    if batch.context:
        context = [
            tf.squeeze(tf.tile(value[:, None], [1, steps, 1]), 2)
            for _, value in sorted(batch.context.items())
        ]
        inputs = tf.concat([inputs, tf.stack(context, 2)], 2)
    return list(tf.unstack(inputs, axis=1))


class StateSavingRnnEstimator(estimator_lib.Estimator):
    """A recurrent network with a prediction for each step of long sequences.

    input_fns give one sequence at a time: features [steps, size] and labels [steps]. Queues cut
    it to segments of ``num_unroll`` steps, which keep the state from one to the next. Predictions
    hold the segment's last state as "rnn_cell_state_0", and "classes" (with "probabilities", if
    these are wanted) or "scores". Sparse features are not taken: make them dense before.

    Variables: "rnn/basic_rnn_cell/kernel" …, "fully_connected/weights", "fully_connected/biases".
    """

    def __init__(
        self,
        problem_type: int,
        num_unroll: int,
        batch_size: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer_type: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float | None] | None = None,
        model_dir: str | None = None,
        config: Any = None,
        feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
        num_threads: int = 3,
        queue_capacity: int = 1000,
        seed: int | None = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          problem_type: ``ProblemType.CLASSIFICATION`` or ``ProblemType.LINEAR_REGRESSION``.
          num_unroll: The length of the segments.
          batch_size: How many segments make a batch.
          sequence_feature_columns: Columns of contrib.layers.
          context_feature_columns: Real-valued columns, of one value for the whole sequence.
          num_classes: The number of classes.
          num_units: The sizes of the cells, one on another.
          cell_type: See `rnn_common.construct_rnn_cell`.
          optimizer_type: See ``contrib.layers.optimize_loss``.
          learning_rate: Unless optimizer_type is an object.
          predict_probabilities: Whether predictions of classes have "probabilities".
          momentum: For the optimizer "Momentum".
          gradient_clipping_norm: The norm that gradients are clipped to; None: they are not.
          dropout_keep_probabilities: See `rnn_common.apply_dropout`; in training only.
          model_dir: Where to save.
          config: A `RunConfig`.
          feature_engineering_fn: From (features, labels) to others, before the model.
          num_threads: How many threads take sequences in.
          queue_capacity: How many sequences are there at once.
          seed: Of the keys that tell sequences apart.

        Raises:
          ValueError: If problem_type is unknown, num_classes is missing, num_unroll is not
            positive, or probabilities are wanted of a regression.
        """
        target = rnn_common.Target(problem_type, num_classes)
        if predict_probabilities and target.kind == "Regressor":
            raise ValueError(
                "Only classes have probabilities. Received: predict_probabilities=True, "
                f"problem_type={problem_type!r}"
            )
        if num_unroll <= 0:
            raise ValueError(f"num_unroll must be positive. Received: {num_unroll!r}")
        optimizer = rnn_common.optimizer_of(optimizer_type, learning_rate, momentum)
        columns = list(sequence_feature_columns)
        sequence_names = [p.name for c in columns for p in (getattr(c, "parents", ()) or (c,))]
        context_names = [column.name for column in context_feature_columns or ()]

        def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
            with tf.name_scope(f"MultiValueStateSavingRNN{target.kind}"):
                dropout = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
                assert num_units is not None
                cell = rnn_common.construct_rnn_cell(num_units, cell_type, dropout)
                names = _state_names(cell)
                zeros = tf.nest.flatten(cell.zero_state(1, tf.float32))
                sequences = _named(features, sequence_names)
                if mode != ModeKeys.INFER:
                    sequences[RNNKeys.LABELS_KEY] = labels
                batch = batch_sequences_with_states(
                    input_key="key",
                    input_sequences=sequences,
                    input_context=_named(features, context_names),
                    input_length=None,
                    initial_states={
                        name: tf.squeeze(value, 0)
                        for name, value in zip(tf.nest.flatten(names), zeros, strict=True)
                    },
                    num_unroll=num_unroll,
                    batch_size=batch_size,
                    pad=True,
                    make_keys_unique=True,
                    make_keys_unique_seed=seed,
                    num_threads=num_threads,
                    capacity=queue_capacity,
                )
                sequences = dict(batch.sequences)
                if mode != ModeKeys.INFER:
                    labels = sequences.pop(RNNKeys.LABELS_KEY)
                inputs = _inputs(batch, sequences, columns, num_unroll)
                with tf.name_scope("rnn"):
                    outputs, state = tf.nn.static_state_saving_rnn(
                        cell, inputs, batch, names, scope="rnn"
                    )
                    activations = layers.fully_connected(
                        tf.stack(outputs, 1), target.size, activation_fn=None
                    )
                    # The parts of a state become one tensor, as in TF1.
                    state = tf.convert_to_tensor(state, name=RNNKeys.FINAL_STATE_KEY)
                predictions = rnn_common.predictions_of_steps(
                    target, activations, predict_probabilities
                )
                loss, metrics = None, None
                if mode != ModeKeys.INFER:
                    loss = rnn_common.loss_of_steps(target, activations, labels, batch.length)
                    metrics = rnn_common.get_eval_metric_ops(
                        problem_type, PredictionType.MULTIPLE_VALUE, batch.length, predictions,
                        labels,
                    )  # fmt: skip
                predictions.update(rnn_common.states(state))
                train_op = rnn_common.train_op(
                    mode, loss, learning_rate, optimizer, gradient_clipping_norm
                )
            return ModelFnOps(mode, predictions, loss, train_op, metrics)

        super().__init__(model_fn, model_dir, config, feature_engineering_fn=feature_engineering_fn)
