"""``tf.contrib.tensor_forest``: random forests need kernels that TF 2 lacks, each use says so."""

from __future__ import annotations

from migrate.tf1_shim import _lazy

__all__ = []

_WHY = (
    "the kernels of random forests (TreeVariable, GrowTreeV4 …) are not in TF 2: use "
    "sklearn.ensemble.RandomForestClassifier, or TensorFlow Decision Forests"
)

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.tensor_forest",
    dict.fromkeys(
        (
            "client",
            "data_ops",
            "eval_metrics",
            "model_ops",
            "ops",
            "proto",
            "python",
            "random_forest",
            "stats_ops",
            "tensor_forest",
            "tensor_forest_ops",
        ),
        _WHY,
    ),
)
