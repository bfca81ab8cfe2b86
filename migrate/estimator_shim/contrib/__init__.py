"""``tf.contrib.estimator`` and ``tf.contrib.learn``, as far as they are here."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["estimator", "learn"]

__getattr__ = _lazy.names(
    __name__,
    {"estimator": "", "learn": ""},
    "tf.contrib",
    {
        "tpu": "TPUEstimator is not implemented in migrate.estimator_shim yet. Use Estimator on "
        "CPU and GPU, or tf.distribute.TPUStrategy on TPUs"
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
