"""``tf.contrib.tpu``: the estimator and its configuration; operations are ``tf.compat.v1.tpu``."""

from __future__ import annotations

from typing import Any

from migrate.estimator_shim import _lazy

__all__ = [
    "AsyncCheckpointSaverHook",
    "CrossShardOptimizer",
    "InputPipelineConfig",
    "RunConfig",
    "TPUConfig",
    "TPUEstimator",
    "TPUEstimatorSpec",
    "batch_parallel",
    "bfloat16_scope",
    "core",
    "cross_replica_sum",
    "initialize_system",
    "outside_compilation",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
]

_HERE = ("InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec")

_lookup = _lazy.names(
    __name__,
    dict.fromkeys(_HERE, "migrate.estimator_shim.tpu")
    | {
        "AsyncCheckpointSaverHook": "migrate.estimator_shim.tpu.async_checkpoint",
        "CrossShardOptimizer": "migrate.estimator_shim.tpu.cross_shard",
    },
    "tf.contrib.tpu",
)


def __getattr__(name: str) -> Any:
    """What ``tf.compat.v1.tpu`` has is that; as in TF1, CPUs have no kernels for most of it."""
    if name not in __all__ or name in (*_HERE, "AsyncCheckpointSaverHook", "CrossShardOptimizer"):
        return _lookup(name)
    import tensorflow

    return getattr(tensorflow.compat.v1.tpu, name)


def __dir__() -> list[str]:
    return sorted(__all__)
