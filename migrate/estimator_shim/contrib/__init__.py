"""``tf.contrib``: its estimator, feature_column, learn and tpu, as far as they are here."""

from __future__ import annotations

from migrate.estimator_shim import _lazy

__all__ = ["estimator", "feature_column", "learn", "tpu"]

__getattr__ = _lazy.names(
    __name__,
    dict.fromkeys(__all__, ""),
    "tf.contrib",
)


def __dir__() -> list[str]:
    return sorted(__all__)
