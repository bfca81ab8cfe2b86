"""contrib.estimator's recurrent Estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import _models, dnn, optimizers
from migrate.estimator_shim.canned import head as heads
from migrate.estimator_shim.contrib.estimator import head as contrib_heads
from migrate.estimator_shim.contrib.feature_column import sequence_feature_column
from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.model_fn import EstimatorSpec
from migrate.tf1_shim.nn import rnn_cell

__all__ = ["RNNClassifier", "RNNEstimator"]

_LEARNING_RATE = 0.05
_MEAN = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
_CELLS = {
    "basic_rnn": rnn_cell.BasicRNNCell,
    "lstm": rnn_cell.BasicLSTMCell,
    "gru": rnn_cell.GRUCell,
}


class _Default:
    """Tells "not given" from a cell_type."""

    def __repr__(self) -> str:
        return "<default>"


_USE_DEFAULT: Any = _Default()


def _cell_fn(num_units: Any, cell_type: Any) -> Callable[[str], Any]:
    """Makes the cell of sizes and a type."""
    if isinstance(cell_type, str) and cell_type not in _CELLS:
        raise TypeError(
            f"cell_type must be one of {sorted(_CELLS)}, or a class. Received: {cell_type!r}"
        )
    cls = _CELLS[cell_type] if isinstance(cell_type, str) else cell_type

    def make(mode: str) -> Any:
        del mode
        cells = [cls(num_units=size) for size in num_units]
        return cells[0] if len(cells) == 1 else rnn_cell.MultiRNNCell(cells)

    return make


def _rnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: heads.HeadV1,
    cell_fn: Callable[[str], Any],
    sequence_columns: tuple[Any, ...],
    context_columns: tuple[Any, ...],
    optimizer: Any,
    partitioner: Any,
    config: Any,
) -> EstimatorSpec:
    """The model_fn of `RNNEstimator`."""
    _models.check_features(features)
    optimizer = optimizers.get_optimizer_instance(optimizer, _LEARNING_RATE)
    hidden = _models.partitioner(_models.servers(config))
    with tf.variable_scope("rnn", values=tuple(features.values()), partitioner=hidden):
        columns_partitioner = _models.input_partitioner(config, partitioner)
        with tf.variable_scope("sequence_input_layer", partitioner=columns_partitioner):
            inputs, lengths = sequence_feature_column.sequence_input_layer(
                features, sequence_columns
            )
            tf.summary.histogram("sequence_length", lengths)
        if context_columns:
            with tf.variable_scope("context_input_layer", partitioner=columns_partitioner):
                context = tf.feature_column.input_layer(features, context_columns)
            tiled = tf.tile(context[:, None, :], [1, tf.shape(inputs)[1], 1])
            inputs = tf.concat([inputs, tiled], 2)
        outputs, _ = tf.nn.dynamic_rnn(
            cell_fn(mode), inputs, sequence_length=lengths, dtype=tf.float32
        )
        # The output at a sequence's last step.
        last = tf.gather(outputs, tf.maximum(lengths - 1, 0), batch_dims=1)
        with tf.variable_scope("logits/dense"):
            logits = dnn._dense(last, head.logits_dimension, None)
        # Within the scope, as in TF1: the keys of partitioned variables' slots hang on it.
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, optimizer=optimizer, logits=logits
        )


class RNNEstimator(Estimator):
    """A recurrent network on columns of sequences, with any head on its last output.

    Variables: "rnn/rnn/basic_rnn_cell/kernel" (or "…/multi_rnn_cell/cell_0/…"),
    "rnn/logits/dense/…" and
    "rnn/sequence_input_layer/sequence_input_layer/<column>/embedding_weights".
    """

    def __init__(
        self,
        head: heads.HeadV1,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Sequence[int] | None = None,
        cell_type: Any = _USE_DEFAULT,
        rnn_cell_fn: Callable[[str], Any] | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Any = None,
        config: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          head: A head of `contrib.estimator`.
          sequence_feature_columns: See `contrib.feature_column.sequence_input_layer`.
          context_feature_columns: Dense columns whose values are added to each step.
          num_units: The sizes of the cells, a list; one on another.
          cell_type: "basic_rnn" (the default), "lstm", "gru", or a class of cells.
          rnn_cell_fn: A function of the mode that makes the cell, in place of both.
          return_sequences: Must be False: TF1's heads of sequences were not public.
          model_dir: See `Estimator`.
          optimizer: See `DNNEstimator`.
          input_layer_partitioner: Of the columns' variables; None: by 64 MiB over servers.
          config: See `Estimator`.

        Raises:
          ValueError: If rnn_cell_fn comes with num_units or cell_type, or for return_sequences.
        """
        if return_sequences:
            raise ValueError(
                "return_sequences=True needs a head of sequences, which TF1 did not make public. "
                "Write the model as a model_fn of an Estimator. Received: return_sequences=True"
            )
        self._make(
            head, sequence_feature_columns, context_feature_columns, num_units, cell_type,
            rnn_cell_fn, model_dir, optimizer, input_layer_partitioner, config,
        )  # fmt: skip

    def _make(
        self,
        head: heads.HeadV1,
        sequence_columns: Iterable[Any],
        context_columns: Iterable[Any] | None,
        num_units: Sequence[int] | None,
        cell_type: Any,
        cell_fn: Callable[[str], Any] | None,
        model_dir: str | None,
        optimizer: Any,
        partitioner: Any,
        config: Any,
    ) -> None:
        if cell_fn is not None and (num_units or cell_type is not _USE_DEFAULT):
            raise ValueError(
                "Give rnn_cell_fn, or num_units and cell_type. "
                f"Received: rnn_cell_fn={cell_fn!r}, num_units={num_units!r}, "
                f"cell_type={cell_type!r}"
            )
        kind = "basic_rnn" if cell_type is _USE_DEFAULT else cell_type

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return _rnn_model_fn(
                features, labels, mode, head, cell_fn or _cell_fn(num_units, kind),
                tuple(sequence_columns or ()), tuple(context_columns or ()), optimizer,
                partitioner, config,
            )  # fmt: skip

        Estimator.__init__(self, model_fn=model_fn, model_dir=model_dir, config=config)


class RNNClassifier(RNNEstimator):
    """A classifier of sequences.

    Labels are integers [batch_size, 1] or [batch_size], or strings with a ``label_vocabulary``.
    Predictions and metrics are those of `BinaryClassHead` or `MultiClassHead`. ::

        words = contrib.feature_column.sequence_categorical_column_with_hash_bucket("words", 1000)
        est = RNNClassifier([tf.feature_column.embedding_column(words, 16)], num_units=[32])
    """

    def __init__(
        self,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Sequence[int] | None = None,
        cell_type: Any = _USE_DEFAULT,
        rnn_cell_fn: Callable[[str], Any] | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[Any] | None = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = _MEAN,
        input_layer_partitioner: Any = None,
        config: Any = None,
    ) -> None:
        """Nothing is built yet.

        Args:
          sequence_feature_columns: See `RNNEstimator`.
          context_feature_columns: See `RNNEstimator`.
          num_units: See `RNNEstimator`.
          cell_type: See `RNNEstimator`.
          rnn_cell_fn: See `RNNEstimator`.
          model_dir: See `Estimator`.
          n_classes: The number of classes.
          weight_column: See `DNNClassifier`.
          label_vocabulary: The names of the classes, if labels are strings.
          optimizer: See `DNNEstimator`.
          loss_reduction: One of ``tf.compat.v1.losses.Reduction``.
          input_layer_partitioner: See `RNNEstimator`.
          config: See `Estimator`.

        Raises:
          ValueError: If n_classes is less than 2, or as for `RNNEstimator`.
        """
        made: heads.HeadV1
        if n_classes == 2:
            made = contrib_heads.binary_classification_head(
                weight_column, None, label_vocabulary, loss_reduction
            )
        else:
            made = contrib_heads.multi_class_head(
                n_classes, weight_column, label_vocabulary, loss_reduction
            )
        self._make(
            made, sequence_feature_columns, context_feature_columns, num_units, cell_type,
            rnn_cell_fn, model_dir, optimizer, input_layer_partitioner, config,
        )  # fmt: skip
