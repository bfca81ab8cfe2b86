"""contrib.estimator's `DNNClassifier` and `DNNRegressor` "with layer annotations".

TF 1.15.5 annotates only columns of the first kind, which ``tf.feature_column`` makes no more: what
it builds with public columns are the models without annotations, and so are these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.canned import dnn
from migrate.estimator_shim.estimator import Estimator

__all__ = ["DNNClassifierWithLayerAnnotations", "DNNRegressorWithLayerAnnotations"]

_SUM = tf.losses.Reduction.SUM


def _plain(original: Estimator, model_dir: Any, config: Any, warm_start_from: Any) -> Estimator:
    """The same model as an `Estimator`, which is what TF 1.15 returns."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        return original.model_fn(features, labels, mode, config)

    return Estimator(model_fn, model_dir, config, warm_start_from=warm_start_from)


def DNNClassifierWithLayerAnnotations(  # noqa: N802 - TF1's name
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    n_classes: int = 2,
    weight_column: Any = None,
    label_vocabulary: Sequence[Any] | None = None,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    warm_start_from: Any = None,
    loss_reduction: str = _SUM,
) -> Estimator:
    """See `DNNClassifier` for the arguments.

    Returns:
      An `Estimator` with the same variables and numbers.
    """
    original = dnn.DNNClassifier(
        hidden_units, feature_columns, model_dir, n_classes, weight_column, label_vocabulary,
        optimizer, activation_fn, dropout, input_layer_partitioner, config, warm_start_from,
        loss_reduction,
    )  # fmt: skip
    return _plain(original, model_dir, config, warm_start_from)


def DNNRegressorWithLayerAnnotations(  # noqa: N802 - TF1's name
    hidden_units: Sequence[int],
    feature_columns: Iterable[Any],
    model_dir: str | None = None,
    label_dimension: int = 1,
    weight_column: Any = None,
    optimizer: Any = "Adagrad",
    activation_fn: Callable[[Any], Any] | None = tf.nn.relu,
    dropout: float | None = None,
    input_layer_partitioner: Any = None,
    config: Any = None,
    warm_start_from: Any = None,
    loss_reduction: str = _SUM,
) -> Estimator:
    """See `DNNRegressor` for the arguments.

    Returns:
      An `Estimator` with the same variables and numbers.
    """
    original = dnn.DNNRegressor(
        hidden_units, feature_columns, model_dir, label_dimension, weight_column, optimizer,
        activation_fn, dropout, input_layer_partitioner, config, warm_start_from, loss_reduction,
    )  # fmt: skip
    return _plain(original, model_dir, config, warm_start_from)
