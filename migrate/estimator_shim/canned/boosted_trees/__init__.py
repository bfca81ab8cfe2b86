"""Boosted trees: `BoostedTreesClassifier`, `BoostedTreesRegressor`, `BoostedTreesEstimator`.

TF 2.21 has lost the kernels of ``tf.estimator.BoostedTrees*``. Here they are again, with the same
trees, predictions and checkpoints as TF 1.15.
"""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor"]

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(__all__, f"{__name__}.estimators"),
    "tensorflow_estimator.python.estimator.canned.boosted_trees",
)


def __dir__() -> list[str]:
    return sorted(__all__)
