"""``tf.estimator.tpu``, which is ``tf.contrib.tpu`` too: TPUEstimator on CPUs and GPUs.

With ``use_tpu=False`` a TPUEstimator of TF1 runs like an Estimator, and that is what is here. TPUs
themselves are driven by ``tf.distribute.TPUStrategy`` in TF 2.
"""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec"]

__getattr__ = _lazy.names(
    __name__,
    {
        "InputPipelineConfig": f"{__name__}.tpu_config",
        "RunConfig": f"{__name__}.tpu_config",
        "TPUConfig": f"{__name__}.tpu_config",
        "TPUEstimator": f"{__name__}.tpu_estimator",
        "TPUEstimatorSpec": f"{__name__}.tpu_spec",
        "async_checkpoint": "",
        "tpu_config": "",
        "tpu_estimator": "",
    },
    "tf.estimator.tpu",
)


def __dir__() -> list[str]:
    return sorted(__all__)
