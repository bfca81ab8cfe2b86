"""``tf.contrib.learn.utils``: inputs of exported models, and how to export them."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "InputFnOps",
    "build_default_serving_input_fn",
    "build_parsing_serving_input_fn",
    "input_fn_utils",
    "make_export_strategy",
    "saved_model_export_utils",
]

__getattr__ = _lazy.names(
    __name__,
    {
        "InputFnOps": f"{__name__}.input_fn_utils",
        "build_default_serving_input_fn": f"{__name__}.input_fn_utils",
        "build_parsing_serving_input_fn": f"{__name__}.input_fn_utils",
        "input_fn_utils": "",
        "make_export_strategy": f"{__name__}.saved_model_export_utils",
        "saved_model_export_utils": "",
    },
    "tf.contrib.learn.utils",
)


def __dir__() -> list[str]:
    return sorted(__all__)
