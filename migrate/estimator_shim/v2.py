"""``tf.compat.v2.estimator`` of TF 1.15: canned Estimators on Keras' optimizers."""

from __future__ import annotations

import importlib
from typing import Any

from migrate.estimator_shim import _lazy

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "BestExporter",
    "BinaryClassHead",
    "BoostedTreesClassifier",
    "BoostedTreesEstimator",
    "BoostedTreesRegressor",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "Head",
    "LatestExporter",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LoggingTensorHook",
    "LogisticRegressionHead",
    "ModeKeys",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "PoissonRegressionHead",
    "ProfilerHook",
    "RegressionHead",
    "RunConfig",
    "SecondOrStepTimer",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "add_metrics",
    "classifier_parse_example_spec",
    "experimental",
    "export",
    "regressor_parse_example_spec",
    "train_and_evaluate",
]

_FAMILIES = ("Baseline", "DNN", "Linear")


def __getattr__(name: str) -> Any:
    """The Estimators of `canned.v2`; any other name is that of ``tf.estimator``."""
    if name in __all__ and name.startswith(_FAMILIES):
        return getattr(importlib.import_module("migrate.estimator_shim.canned.v2"), f"{name}V2")
    if name == "Estimator":
        return importlib.import_module("migrate.estimator_shim.estimator").EstimatorV2
    if name in __all__:
        return getattr(importlib.import_module("migrate.estimator_shim"), name)
    return _lazy.names(__name__, {}, "tf.compat.v2.estimator")(name)


def __dir__() -> list[str]:
    return sorted(__all__)
