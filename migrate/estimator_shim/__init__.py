"""``tf.estimator`` for TF 2.16 and newer: ``from migrate import estimator_shim as estimator``.

TensorFlow removed ``tf.estimator`` in 2.16. This package gives it back on what TF 2.21 still has of
TF1 - graphs, sessions, hooks, savers, metrics - with the same semantics and the same files, so that
a model_fn stays as it is and an old model_dir is continued::

    from migrate import estimator_shim as estimator

    est = estimator.Estimator(model_fn, model_dir="/tmp/model")
    est.train(input_fn, steps=1000)
    est.evaluate(eval_input_fn)

It builds its own graphs, so that it works both in TF 2 programs and after
``tf.compat.v1.disable_v2_behavior()``. Importing it costs nothing: TensorFlow is imported when a
name is first used. ``__all__`` of each public module lists exactly what is implemented; other names
of TF1 raise `AttributeError` and say what to use instead.
"""

from __future__ import annotations

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
    "inputs",
    "regressor_parse_example_spec",
    "train_and_evaluate",
]

_HERE = {
    "BaselineClassifier": ".canned.baseline",
    "BaselineEstimator": ".canned.baseline",
    "BaselineRegressor": ".canned.baseline",
    "BestExporter": ".exporter",
    "BinaryClassHead": ".head.binary_class_head",
    "BoostedTreesClassifier": ".canned.boosted_trees.estimators",
    "BoostedTreesEstimator": ".canned.boosted_trees.estimators",
    "BoostedTreesRegressor": ".canned.boosted_trees.estimators",
    "DNNClassifier": ".canned.dnn",
    "DNNEstimator": ".canned.dnn",
    "DNNLinearCombinedClassifier": ".canned.dnn_linear_combined",
    "DNNLinearCombinedEstimator": ".canned.dnn_linear_combined",
    "DNNLinearCombinedRegressor": ".canned.dnn_linear_combined",
    "DNNRegressor": ".canned.dnn",
    "Estimator": ".estimator",
    "EstimatorSpec": ".model_fn",
    "EvalSpec": ".training",
    "Exporter": ".exporter",
    "FinalExporter": ".exporter",
    "Head": ".head.base_head",
    "LatestExporter": ".exporter",
    "LinearClassifier": ".canned.linear",
    "LinearEstimator": ".canned.linear",
    "LinearRegressor": ".canned.linear",
    "LogisticRegressionHead": ".head.regression_head",
    "ModeKeys": ".mode_keys",
    "MultiClassHead": ".head.multi_class_head",
    "MultiHead": ".head.multi_head",
    "MultiLabelHead": ".head.multi_label_head",
    "PoissonRegressionHead": ".head.regression_head",
    "RegressionHead": ".head.regression_head",
    "RunConfig": ".run_config",
    "TrainSpec": ".training",
    "VocabInfo": ".warm_starting",
    "WarmStartSettings": ".warm_starting",
    "add_metrics": ".extenders",
    "classifier_parse_example_spec": ".canned.parsing_utils",
    "regressor_parse_example_spec": ".canned.parsing_utils",
    "train_and_evaluate": ".training",
}
#: Public namespaces, ``tf.keras.estimator``, and the modules that mirror those of the package
#: tensorflow_estimator.
_MODULES = (
    "canned",
    "contrib",
    "early_stopping",
    "estimator",
    "experimental",
    "export",
    "exporter",
    "extenders",
    "head",
    "hooks",
    "inputs",
    "keras",
    "mode_keys",
    "model_fn",
    "run_config",
    "tpu",
    "training",
    "util",
    "v2",
    "warm_starting",
)

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(__all__, "tf.train")
    | {name: __name__ + module for name, module in _HERE.items()}
    | dict.fromkeys(_MODULES, ""),
    "tf.estimator",
)


def __dir__() -> list[str]:
    return sorted(__all__)
