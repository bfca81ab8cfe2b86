"""contrib.learn's `LogisticRegressor`: metrics of two classes for a model_fn of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim.contrib.learn import estimator as estimator_lib
from migrate.estimator_shim.contrib.learn.constants import ProblemType
from migrate.estimator_shim.contrib.learn.model_fn import ModeKeys, ModelFnOps

__all__ = ["LogisticRegressor"]


def LogisticRegressor(  # noqa: N802 - TF1's name
    model_fn: Callable[..., Any],
    thresholds: Sequence[float] | None = None,
    model_dir: str | None = None,
    config: Any = None,
    feature_engineering_fn: Callable[[Any, Any], Any] | None = None,
) -> estimator_lib.Estimator:
    """An Estimator with the metrics of a logistic regression.

    Args:
      model_fn: From (features, labels, mode) to (predictions, loss, train_op); predictions are
        probabilities.
      thresholds: Where accuracy, precision and recall are measured; None for 0.5.
      model_dir: Where to save.
      config: A `RunConfig`.
      feature_engineering_fn: From (features, labels) to others, before the model.

    Returns:
      The Estimator.
    """

    def with_metrics(features: Any, labels: Any, mode: str) -> ModelFnOps:
        predictions, loss, train_op = model_fn(features, labels, mode)
        metrics = None
        if mode == ModeKeys.EVAL:
            metrics = _metrics(labels, predictions, thresholds or [0.5])
        problem = (ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions})
        return ModelFnOps(
            mode, predictions, loss, train_op, metrics, output_alternatives={"head": problem}
        )

    return estimator_lib.Estimator(
        with_metrics, model_dir, config, feature_engineering_fn=feature_engineering_fn
    )


def _metrics(labels: Any, predictions: Any, thresholds: Sequence[float]) -> dict[str, Any]:
    if isinstance(labels, Mapping) and len(labels) == 1:
        (labels,) = labels.values()
    found = {
        "labels/prediction_mean": tf.metrics.mean(predictions),
        "labels/actual_label_mean": tf.metrics.mean(labels),
        "accuracy/baseline_label_mean": tf.metrics.mean(labels),
        "auc": tf.metrics.auc(labels, predictions),
    }
    for threshold in thresholds:
        above = tf.cast(predictions >= threshold, tf.float32)
        found[f"accuracy/threshold_{threshold:f}_mean"] = tf.metrics.accuracy(labels, above)
        for what, metric in (("precision", tf.metrics.precision), ("recall", tf.metrics.recall)):
            found[f"{what}/positive_threshold_{threshold:f}_mean"] = metric(labels, above)
    return found
