"""How a `TPUEstimator` runs."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NamedTuple

from migrate.estimator_shim import run_config

__all__ = ["InputPipelineConfig", "RunConfig", "TPUConfig"]


class InputPipelineConfig:
    """How often an input_fn is called on TPUs. On CPUs and GPUs it is called once."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


_CORES = (1, 2, 4, 8, 16, 32, 64, 128)


class _TPUConfig(NamedTuple):
    iterations_per_loop: Any
    num_shards: int | None
    num_cores_per_replica: int | None
    per_host_input_for_training: int
    tpu_job_name: str | None
    initial_infeed_sleep_secs: int | None
    input_partition_dims: Any
    eval_training_input_configuration: int
    experimental_host_call_every_n_steps: int


class TPUConfig(_TPUConfig):
    """What only TPUs need. It is checked here, and has no effect on CPUs and GPUs but for the
    steps between two lines of the log, which `iterations_per_loop` divides, as in TF1.
    """

    __slots__ = ()

    def __new__(
        cls,
        iterations_per_loop: Any = 2,
        num_shards: int | None = None,
        num_cores_per_replica: int | None = None,
        per_host_input_for_training: Any = True,
        tpu_job_name: str | None = None,
        initial_infeed_sleep_secs: int | None = None,
        input_partition_dims: Any = None,
        eval_training_input_configuration: int = InputPipelineConfig.PER_HOST_V1,
        experimental_host_call_every_n_steps: int = 1,
    ) -> TPUConfig:
        """Checks the values.

        Args:
          iterations_per_loop: Steps on the TPU between two returns to the host: a number, or a
            time such as "60s", "5m" or "1h".
          num_shards: How many replicas; on a TPU it must be that of its cores, if given.
          num_cores_per_replica: Cores of one replica, a power of two up to 128; None for one.
          per_host_input_for_training: One of `InputPipelineConfig`; True for PER_HOST_V1, False
            for PER_SHARD_V1.
          tpu_job_name: The job of the TPU workers; also from TF_CONFIG.
          initial_infeed_sleep_secs: Seconds to wait before the first batch.
          input_partition_dims: How inputs are cut over the cores of a replica.
          eval_training_input_configuration: PER_HOST_V1 or SLICED.
          experimental_host_call_every_n_steps: Steps between two host calls.

        Returns:
          The configuration, a named tuple.

        Raises:
          ValueError: If a value is out of its range.
        """
        loop_length(iterations_per_loop)
        _check_positive(num_shards=num_shards)
        if input_partition_dims is not None:
            if len(input_partition_dims) not in (1, 2):
                raise ValueError(
                    "input_partition_dims must have one entry or two, for features and labels. "
                    f"Received: {input_partition_dims!r}"
                )
            if per_host_input_for_training is not InputPipelineConfig.PER_HOST_V2:
                raise ValueError(
                    "input_partition_dims needs per_host_input_for_training=PER_HOST_V2. "
                    f"Received: {per_host_input_for_training!r}"
                )
            if num_cores_per_replica is None:
                raise ValueError("input_partition_dims needs num_cores_per_replica")
        if num_cores_per_replica is not None and num_cores_per_replica not in _CORES:
            raise ValueError(
                f"num_cores_per_replica must be one of {_CORES}. Received: {num_cores_per_replica}"
            )
        if eval_training_input_configuration not in (
            InputPipelineConfig.PER_HOST_V1,
            InputPipelineConfig.SLICED,
        ):
            raise ValueError(
                "eval_training_input_configuration must be PER_HOST_V1 or SLICED. "
                f"Received: {eval_training_input_configuration!r}"
            )
        if per_host_input_for_training is False:
            per_host_input_for_training = InputPipelineConfig.PER_SHARD_V1
        elif per_host_input_for_training is True:
            per_host_input_for_training = InputPipelineConfig.PER_HOST_V1
        if initial_infeed_sleep_secs:
            _check_positive(initial_infeed_sleep_secs=initial_infeed_sleep_secs)
        service = json.loads(os.environ.get("TF_CONFIG", "{}")).get("service", {})
        return super().__new__(
            cls,
            iterations_per_loop,
            num_shards,
            num_cores_per_replica,
            per_host_input_for_training,
            tpu_job_name or service.get("tpu_worker_job_name"),
            initial_infeed_sleep_secs,
            input_partition_dims,
            eval_training_input_configuration,
            experimental_host_call_every_n_steps,
        )


def _check_positive(**counts: int | None) -> None:
    for name, count in counts.items():
        if count is not None and count <= 0:
            raise ValueError(f"TPUConfig: {name} must be positive. Received: {count!r}")


def loop_length(iterations_per_loop: Any) -> tuple[int, bool]:
    """``iterations_per_loop`` as a number, and whether it is one of seconds.

    Raises:
      ValueError: If it is neither a positive number nor a time.
    """
    match = re.fullmatch(r"([1-9]\d*)\s*([smh]?)", str(iterations_per_loop))
    if match is None:
        raise ValueError(
            "TPUConfig: iterations_per_loop must be a positive number of steps, or a time such as "
            f'"60s", "5m" or "1h". Received: {iterations_per_loop!r}'
        )
    return int(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]], bool(match[2])


class RunConfig(run_config.RunConfig):
    """A `migrate.estimator_shim.RunConfig` with a `TPUConfig`."""

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        """Checks the values and reads ``TF_CONFIG``.

        Args:
          tpu_config: What only TPUs need; None for its defaults.
          evaluation_master: The target of sessions that evaluate, by default ``master``.
          master: The target of sessions that train, by default this process.
          cluster: None. TF1 took a resolver of TPU workers.
          **kwargs: The arguments of `migrate.estimator_shim.RunConfig`.

        Raises:
          ValueError: If a value is out of its range.
          NotImplementedError: If a cluster of TPU workers is given.
        """
        if cluster is not None:
            raise NotImplementedError(
                "RunConfig(cluster=...): a TPUEstimator on TPU workers is not in this package. "
                "Leave the cluster out (None) to run on CPU or GPU, or train with "
                f"tf.distribute.TPUStrategy. Received: {cluster!r}"
            )
        super().__init__(**kwargs)
        self._tpu_config = tpu_config or TPUConfig()
        if master:
            self._cluster.master = master
        if evaluation_master:
            self._cluster.evaluation_master = evaluation_master
        elif not self._cluster.evaluation_master and self.task_type != "evaluator":
            self._cluster.evaluation_master = self._cluster.master

    @property
    def tpu_config(self) -> TPUConfig:
        """What only TPUs need."""
        return self._tpu_config

    @property
    def cluster(self) -> None:
        """None: see the constructor."""
        return None

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with some properties changed, `tpu_config` among them."""
        tpu_config = kwargs.pop("tpu_config", None)
        new = super().replace(**kwargs)
        assert isinstance(new, RunConfig)
        if tpu_config is not None:
            new._tpu_config = tpu_config
        return new
