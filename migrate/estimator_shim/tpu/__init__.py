"""``tf.estimator.tpu``, which is in ``tf.contrib.tpu`` too: `TPUEstimator` on CPU, GPU and TPU.

With ``use_tpu=False`` a `TPUEstimator` runs like an Estimator, as in TF1. With ``use_tpu=True`` its
model_fn runs on each core of the TPU that ``RunConfig(master=...)`` or TPU_NAME names, by
``tf.distribute.TPUStrategy``; where there is no TPU it raises `RuntimeError`.
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
