"""``tf.compat.v2.estimator`` of TF 1.15: canned Estimators on Keras' optimizers; the rest is shared."""

from __future__ import annotations

from typing import Any

from migrate.estimator_shim import _lazy

_CANNED = (
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
)


def __getattr__(name: str) -> Any:
    """The Estimators of `canned.v2`; any other name is that of ``tf.estimator``."""
    import importlib

    if name in _CANNED:
        return getattr(importlib.import_module("migrate.estimator_shim.canned.v2"), f"{name}V2")
    if name == "Estimator":
        return importlib.import_module("migrate.estimator_shim.estimator").EstimatorV2
    root = importlib.import_module("migrate.estimator_shim")
    if name in root.__all__:
        return getattr(root, name)
    return _lazy.names(__name__, {}, "tf.compat.v2.estimator")(name)


def __dir__() -> list[str]:
    import importlib

    return sorted(importlib.import_module("migrate.estimator_shim").__all__)
