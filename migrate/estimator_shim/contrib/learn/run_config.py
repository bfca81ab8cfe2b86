"""The RunConfig of contrib.learn."""

from __future__ import annotations

import json
import os
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import run_config

__all__ = ["RunConfig"]

_DEFAULT = 0
_DEFAULT_SECS = 600


class RunConfig(run_config.RunConfig):
    """`migrate.estimator_shim.RunConfig` with contrib.learn's arguments.

    Besides, it makes session options of ``num_cores``, ``log_device_placement`` and
    ``gpu_memory_fraction``.
    """

    def __init__(
        self,
        master: str | None = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_secs: int | None = _DEFAULT,
        save_checkpoints_steps: int | None = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        protocol: str | None = None,
        evaluation_master: str = "",
        model_dir: str | None = None,
        session_config: Any = None,
        session_creation_timeout_secs: float | None = 7200,
    ) -> None:
        """Takes contrib.learn's arguments.

        Args:
          master: The target of sessions; None for what TF_CONFIG says.
          num_cores: How many threads sessions use; 0 for all.
          log_device_placement: Whether sessions log where operations run.
          gpu_memory_fraction: The share of a GPU's memory that a session takes.
          tf_random_seed: See the base class.
          save_summary_steps: See the base class.
          save_checkpoints_secs: Seconds between checkpoints; 0 for 600, unless
            save_checkpoints_steps is given.
          save_checkpoints_steps: Steps between checkpoints.
          keep_checkpoint_max: See the base class.
          keep_checkpoint_every_n_hours: See the base class.
          log_step_count_steps: See the base class.
          protocol: See the base class.
          evaluation_master: The target of sessions that evaluate.
          model_dir: See the base class.
          session_config: Session options in place of those of the first arguments.
          session_creation_timeout_secs: See the base class.
        """
        if save_checkpoints_secs == _DEFAULT:
            save_checkpoints_secs = _DEFAULT_SECS if save_checkpoints_steps is None else None
        self._tf_config = tf.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config if session_config is not None else self._tf_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        if master is not None:
            self._cluster.master = master
        if evaluation_master:
            self._cluster.evaluation_master = evaluation_master

    @property
    def environment(self) -> str:
        """What TF_CONFIG has under "environment", "local" if nothing."""
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return str(config.get("environment", "local"))

    @staticmethod
    def get_task_id() -> int:
        """The number of this process's task in TF_CONFIG; 0 if there is none."""
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        return int((config.get("task") or {}).get("index", 0))

    @property
    def tf_config(self) -> Any:
        """The session options that the first arguments make."""
        return self._tf_config
