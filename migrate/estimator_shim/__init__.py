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
    "BestExporter",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "LatestExporter",
    "LoggingTensorHook",
    "ModeKeys",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ProfilerHook",
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
    "experimental",
    "export",
    "inputs",
    "train_and_evaluate",
]

_HERE = {
    "BestExporter": ".exporter",
    "Estimator": ".estimator",
    "EstimatorSpec": ".model_fn",
    "EvalSpec": ".training",
    "Exporter": ".exporter",
    "FinalExporter": ".exporter",
    "LatestExporter": ".exporter",
    "ModeKeys": ".mode_keys",
    "RunConfig": ".run_config",
    "TrainSpec": ".training",
    "VocabInfo": ".warm_starting",
    "WarmStartSettings": ".warm_starting",
    "add_metrics": ".extenders",
    "train_and_evaluate": ".training",
}
#: Public namespaces, and the modules that mirror those of the package tensorflow_estimator.
_MODULES = (
    "contrib",
    "early_stopping",
    "estimator",
    "experimental",
    "export",
    "exporter",
    "extenders",
    "hooks",
    "inputs",
    "mode_keys",
    "model_fn",
    "run_config",
    "training",
    "util",
    "warm_starting",
)
_YET = (
    "not implemented in migrate.estimator_shim yet. Write the model as a model_fn of an Estimator "
    "(tf.compat.v1.feature_column.input_layer and linear_model still take feature columns)"
)
_FAMILIES = (
    *(
        f"{kind}{what}"
        for kind in ("Baseline", "DNN", "Linear", "DNNLinearCombined")
        for what in ("Classifier", "Estimator", "Regressor")
    ),
    *(f"{kind}Head" for kind in ("BinaryClass", "LogisticRegression", "MultiClass", "MultiLabel")),
    "Head",
    "MultiHead",
    "PoissonRegressionHead",
    "RegressionHead",
    "classifier_parse_example_spec",
    "regressor_parse_example_spec",
)
_GONE = dict.fromkeys(_FAMILIES, _YET)
_GONE |= dict.fromkeys(
    (f"BoostedTrees{what}" for what in ("Classifier", "Estimator", "Regressor")),
    "TF 2.21 has no kernels of boosted trees, and migrate.estimator_shim does not implement them "
    "yet. Train with TensorFlow Decision Forests or another library of trees",
)
_GONE["tpu"] = (
    "TPUEstimator is not implemented in migrate.estimator_shim yet. Use Estimator on CPU and GPU, "
    "or tf.distribute.TPUStrategy on TPUs"
)

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(__all__, "tf.train")
    | {name: __name__ + module for name, module in _HERE.items()}
    | dict.fromkeys(_MODULES, ""),
    "tf.estimator",
    _GONE,
)


def __dir__() -> list[str]:
    return sorted(__all__)
