"""``tf.contrib.estimator``: heads, exports, and what became part of ``tf.estimator``."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "DNNClassifierWithLayerAnnotations",
    "DNNRegressorWithLayerAnnotations",
    "RNNClassifier",
    "RNNEstimator",
    "SavedModelEstimator",
    "TowerOptimizer",
    "add_metrics",
    "binary_classification_head",
    "boosted_trees_classifier_train_in_memory",
    "boosted_trees_regressor_train_in_memory",
    "build_raw_supervised_input_receiver_fn",
    "build_supervised_input_receiver_fn_from_input_fn",
    "call_logit_fn",
    "clip_gradients_by_norm",
    "dnn_logit_fn_builder",
    "export_all_saved_models",
    "export_saved_model_for_mode",
    "forward_features",
    "linear_logit_fn_builder",
    "logistic_regression_head",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "poisson_regression_head",
    "regression_head",
    "replicate_model_fn",
]

_ROOT = "migrate.estimator_shim"

__getattr__ = _lazy.names(
    __name__,
    {
        "DNNClassifierWithLayerAnnotations": f"{__name__}.dnn_with_layer_annotations",
        "DNNRegressorWithLayerAnnotations": f"{__name__}.dnn_with_layer_annotations",
        "RNNClassifier": f"{__name__}.rnn",
        "RNNEstimator": f"{__name__}.rnn",
        "SavedModelEstimator": f"{__name__}.saved_model_estimator",
        "TowerOptimizer": f"{__name__}.towers",
        "add_metrics": f"{_ROOT}.extenders",
        "binary_classification_head": f"{__name__}.head",
        "boosted_trees_classifier_train_in_memory": f"{__name__}.boosted_trees",
        "boosted_trees_regressor_train_in_memory": f"{__name__}.boosted_trees",
        "build_raw_supervised_input_receiver_fn": f"{_ROOT}.export.export",
        "build_supervised_input_receiver_fn_from_input_fn": f"{_ROOT}.export.export",
        "call_logit_fn": f"{_ROOT}.canned.logit_fns",
        "clip_gradients_by_norm": f"{__name__}.extenders",
        "dnn_logit_fn_builder": f"{_ROOT}.canned.dnn",
        "export_all_saved_models": f"{__name__}.export",
        "export_saved_model_for_mode": f"{__name__}.export",
        "forward_features": f"{__name__}.extenders",
        "linear_logit_fn_builder": f"{_ROOT}.canned.linear",
        "logistic_regression_head": f"{__name__}.head",
        "multi_class_head": f"{__name__}.head",
        "multi_head": f"{__name__}.multi_head",
        "multi_label_head": f"{__name__}.head",
        "poisson_regression_head": f"{__name__}.head",
        "regression_head": f"{__name__}.head",
        "replicate_model_fn": f"{__name__}.towers",
    },
    "tf.contrib.estimator",
)


def __dir__() -> list[str]:
    return sorted(__all__)
