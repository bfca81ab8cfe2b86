"""``tf.contrib.estimator``: what of it became part of ``tf.estimator`` before 1.15."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "add_metrics",
    "build_raw_supervised_input_receiver_fn",
    "export_all_saved_models",
    "export_saved_model_for_mode",
]

_ROOT = "migrate.estimator_shim"

__getattr__ = _lazy.names(
    __name__,
    {
        "add_metrics": f"{_ROOT}.extenders",
        "build_raw_supervised_input_receiver_fn": f"{_ROOT}.export.export",
        "export_all_saved_models": f"{__name__}.export",
        "export_saved_model_for_mode": f"{__name__}.export",
    },
    "tf.contrib.estimator",
)


def __dir__() -> list[str]:
    return sorted(__all__)
