"""``tf.keras.estimator``: Estimators of Keras models."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["model_to_estimator"]

__getattr__ = _lazy.names(
    __name__, {"model_to_estimator": f"{__name__}.models"}, "tf.keras.estimator"
)


def __dir__() -> list[str]:
    return sorted(__all__)
