"""The Estimators that need no model_fn, under the module names of TF1."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(
        (
            "baseline",
            "boosted_trees",
            "dnn",
            "dnn_linear_combined",
            "head",
            "kmeans",
            "linear",
            "logit_fns",
            "metric_keys",
            "optimizers",
            "parsing_utils",
            "prediction_keys",
            "v2",
        ),
        "",
    ),
    "tensorflow.python.estimator.canned",
)
