"""``tf.estimator.export``: what exported models take and give."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "ClassificationOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "ServingInputReceiver",
    "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
]

__getattr__ = _lazy.names(
    __name__,
    {
        name: __name__ + (".export_output" if name.endswith("Output") else ".export")
        for name in __all__
    }
    | {"export": "", "export_output": ""},
    "tf.estimator.export",
)


def __dir__() -> list[str]:
    return sorted(__all__)
