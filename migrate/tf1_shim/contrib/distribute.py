"""``tf.contrib.distribute``: strategies with contrib's arguments, on those of ``tf.distribute``.

Contrib's strategies took the batch size as that of one replica, ``tf.distribute`` takes it as that
of all together. With one device both are the same.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

from migrate.tf1_shim import _lazy

__all__ = [
    "AllReduceCrossDeviceOps",
    "CrossDeviceOps",
    "DistributionStrategy",
    "MirroredStrategy",
    "OneDeviceStrategy",
    "ReplicaContext",
    "get_distribution_strategy",
    "get_loss_reduction",
    "get_replica_context",
    "get_strategy",
    "has_distribution_strategy",
    "has_strategy",
    "in_cross_replica_context",
]

_WORKERS = (
    "several workers are outside of what the shim can prove: use "
    "tf.distribute.MultiWorkerMirroredStrategy or tf.distribute.ParameterServerStrategy with "
    "TF 2's own training loops"
)
_STEPS = "steps with iterators inside are gone: use strategy.run inside of a tf.function"

__getattr__ = _lazy.attributes(
    __name__,
    (),
    "tf.contrib.distribute",
    {
        "CollectiveAllReduceStrategy": _WORKERS,
        "DistributeConfig": _WORKERS,
        "Monitor": _STEPS,
        "MultiWorkerAllReduce": _WORKERS,
        "ParameterServerStrategy": _WORKERS,
        "StandardInputStep": _STEPS,
        "StandardSingleLossStep": _STEPS,
        "Step": _STEPS,
        "TPUStrategy": "needs TF 2's functions: use tf.distribute.TPUStrategy",
        "UpdateContext": "it was for writers of strategies: use tf.distribute.StrategyExtended",
        "get_cross_replica_context": "use tf.distribute.get_strategy()",
        "initialize_tpu_system": "use tf.tpu.experimental.initialize_tpu_system",
        "require_replica_context": "use tf.distribute.get_replica_context() is not None",
        "run_standard_tensorflow_server": _WORKERS,
    },
)

CrossDeviceOps = tf.distribute.CrossDeviceOps
DistributionStrategy = tf.distribute.Strategy
ReplicaContext = tf.distribute.ReplicaContext
get_loss_reduction = tf.distribute.get_loss_reduction
get_replica_context = tf.distribute.get_replica_context
get_strategy = get_distribution_strategy = tf.distribute.get_strategy
has_strategy = has_distribution_strategy = tf.distribute.has_strategy
in_cross_replica_context = tf.distribute.in_cross_replica_context


def AllReduceCrossDeviceOps(  # noqa: N802 - a class in TF1
    all_reduce_alg: str = "nccl", num_packs: int = 1
) -> Any:
    """How replicas sum their gradients.

    Args:
      all_reduce_alg: "nccl" or "hierarchical_copy".
      num_packs: In how many parts gradients are packed.

    Returns:
      ``tf.distribute.NcclAllReduce`` or ``tf.distribute.HierarchicalCopyAllReduce``.

    Raises:
      ValueError: If there is no such algorithm.
    """
    kinds = {
        "nccl": tf.distribute.NcclAllReduce,
        "hierarchical_copy": tf.distribute.HierarchicalCopyAllReduce,
    }
    if all_reduce_alg not in kinds:
        raise ValueError(f"all_reduce_alg must be one of {sorted(kinds)}. Got: {all_reduce_alg!r}")
    return kinds[all_reduce_alg](num_packs=num_packs)


class MirroredStrategy(tf.distribute.MirroredStrategy):
    """A copy of the variables on each device of this machine."""

    def __init__(
        self,
        devices: Any = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        """Make a strategy.

        Args:
          devices: The devices; by default all GPUs, or the CPU.
          num_gpus: The number of GPUs, instead of devices.
          num_gpus_per_worker: The same, its newer name.
          cross_device_ops: How gradients are summed.
          auto_shard_dataset: Only False: it was for several workers.
          cross_tower_ops: The same as ``cross_device_ops``, its older name.

        Raises:
          ValueError: If arguments that exclude each other are given.
        """
        for a, b, names in (
            (cross_device_ops, cross_tower_ops, "cross_device_ops and cross_tower_ops"),
            (num_gpus, num_gpus_per_worker, "num_gpus and num_gpus_per_worker"),
            (devices, num_gpus or num_gpus_per_worker, "devices and a number of GPUs"),
        ):
            if a is not None and b is not None:
                raise ValueError(f"You cannot specify both {names}. Received: {a}, {b}")
        if auto_shard_dataset:
            raise ValueError("auto_shard_dataset=True needs several workers: " + _WORKERS)
        count = num_gpus if num_gpus_per_worker is None else num_gpus_per_worker
        if count is not None:
            devices = [f"/device:GPU:{i}" for i in range(count)] or ["/device:CPU:0"]
        super().__init__(devices=devices, cross_device_ops=cross_device_ops or cross_tower_ops)


class OneDeviceStrategy(tf.distribute.OneDeviceStrategy):
    """All variables and operations on one device."""
