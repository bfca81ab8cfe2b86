"""``tf.estimator.experimental``."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = [
    "InMemoryEvaluatorHook",
    "KMeans",
    "LinearSDCA",
    "build_raw_supervised_input_receiver_fn",
    "call_logit_fn",
    "dnn_logit_fn_builder",
    "linear_logit_fn_builder",
    "make_early_stopping_hook",
    "make_stop_at_checkpoint_step_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
]

_ROOT = "migrate.estimator_shim"

__getattr__ = _lazy.names(
    __name__,
    {
        "InMemoryEvaluatorHook": f"{_ROOT}.hooks.hooks",
        "KMeans": f"{_ROOT}.canned.kmeans",
        "LinearSDCA": f"{_ROOT}.canned.linear_sdca",
        "build_raw_supervised_input_receiver_fn": f"{_ROOT}.export.export",
        "call_logit_fn": f"{_ROOT}.canned.logit_fns",
        "dnn_logit_fn_builder": f"{_ROOT}.canned.dnn",
        "linear_logit_fn_builder": f"{_ROOT}.canned.linear",
        "make_early_stopping_hook": f"{_ROOT}.early_stopping",
        "make_stop_at_checkpoint_step_hook": f"{_ROOT}.hooks.hooks",
        "stop_if_higher_hook": f"{_ROOT}.early_stopping",
        "stop_if_lower_hook": f"{_ROOT}.early_stopping",
        "stop_if_no_decrease_hook": f"{_ROOT}.early_stopping",
        "stop_if_no_increase_hook": f"{_ROOT}.early_stopping",
    },
    "tf.estimator.experimental",
)


def __dir__() -> list[str]:
    return sorted(__all__)
