"""What `Estimator` checks of its arguments."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import run_config as run_config_lib
from migrate.estimator_shim import util

_MODEL_FN_ARGS = ("features", "labels", "mode", "params", "config")


def config_with_dir(config: Any, model_dir: Any) -> run_config_lib.RunConfig:
    """The RunConfig with its model_dir set."""
    if config is None:
        config = run_config_lib.RunConfig()
    elif not isinstance(config, run_config_lib.RunConfig):
        raise ValueError(f"config must be a RunConfig. Received: {config!r}")
    if config.session_config is None:
        config = config.replace(session_config=run_config_lib.default_session_config())
    model_dir = os.fspath(model_dir) if model_dir else None
    if model_dir and config.model_dir and config.model_dir != model_dir:
        raise ValueError(
            "model_dir must be the same in Estimator and in RunConfig, or be given once. "
            f"Received: {model_dir!r} and {config.model_dir!r}"
        )
    if not model_dir and not config.model_dir:
        model_dir = tempfile.mkdtemp()
        tf.logging.warn("Using a temporary folder as model_dir: %s", model_dir)
    return config.replace(model_dir=model_dir) if model_dir else config.replace()


def replica_device_setter(config: run_config_lib.RunConfig) -> Any:
    """Variables on the parameter servers, the rest on this worker; None if there are no servers."""
    if not config.num_ps_replicas:
        return None
    return tf.train.replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def check_model_fn(model_fn: Callable[..., Any], params: Any) -> None:
    """Raises ValueError unless a model_fn takes what an Estimator gives it, and nothing else."""
    names = util.fn_args(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn must take `features`. Received: a model_fn of {names}")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn must take `params`, since params={params!r} are given. "
            f"Received: a model_fn of {names}"
        )
    other = [n for n in names if n not in _MODEL_FN_ARGS]
    if other:
        raise ValueError(
            f"model_fn may take only {', '.join(_MODEL_FN_ARGS)}. Received: {', '.join(other)}"
        )


def check_positive(**counts: int | None) -> None:
    """Raises ValueError for numbers of steps that are not positive."""
    for name, count in counts.items():
        if count is not None and count <= 0:
            raise ValueError(f"{name} must be positive. Received: {name}={count}")
