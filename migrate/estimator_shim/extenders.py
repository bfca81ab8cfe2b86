"""Estimators made of Estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from migrate.estimator_shim.estimator import Estimator
from migrate.estimator_shim.mode_keys import ModeKeys
from migrate.estimator_shim.util import fn_args

__all__ = ["add_metrics"]

_ARGS = ("features", "labels", "predictions", "config")


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """An Estimator like another one, with more metrics.

    Args:
      estimator: An `Estimator`.
      metric_fn: Returns a dict of metrics, as ``eval_metric_ops`` of an `EstimatorSpec`; takes,
        by name and in any order, what it wants of ``features``, ``labels``, ``predictions`` and
        ``config``. A name that the Estimator has already replaces that metric.

    Returns:
      A new Estimator with the same model_dir and config.

    Raises:
      ValueError: If metric_fn takes other arguments.

    Example::

        def my_auc(labels, predictions):
            return {"auc": tf.compat.v1.metrics.auc(labels, predictions["logistic"])}

        est = add_metrics(est, my_auc)
    """
    names = fn_args(metric_fn)
    other = [n for n in names if n not in _ARGS]
    if other:
        raise ValueError(f"metric_fn may take only {', '.join(_ARGS)}. Received: {other}")

    def new_model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        given = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        metrics = dict(spec.eval_metric_ops or {})
        metrics.update(metric_fn(**{n: given[n] for n in names}) or {})
        return spec._replace(eval_metric_ops=metrics)

    return Estimator(
        model_fn=new_model_fn,
        model_dir=estimator.model_dir,
        config=estimator.config,
        warm_start_from=estimator._warm_start_settings,
    )
