"""``tf.contrib.learn``: its mode keys and its RunConfig.

contrib.learn's own Estimator, its Experiment and its canned models are not here: give their
model_fn to `migrate.estimator_shim.Estimator`, and use `train_and_evaluate` for Experiment.
"""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["ModeKeys", "RunConfig"]

_ESTIMATOR = (
    "not implemented in migrate.estimator_shim. Let the model_fn return an EstimatorSpec and give "
    "it to migrate.estimator_shim.Estimator"
)
_EXPERIMENT = (
    "not implemented in migrate.estimator_shim. Use train_and_evaluate with TrainSpec and EvalSpec"
)

__getattr__ = _lazy.names(
    __name__,
    {"ModeKeys": f"{__name__}.model_fn", "RunConfig": f"{__name__}.run_config"},
    "tf.contrib.learn",
    {
        "Estimator": _ESTIMATOR,
        "ModelFnOps": _ESTIMATOR,
        "Experiment": _EXPERIMENT,
        "learn_runner": _EXPERIMENT,
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
