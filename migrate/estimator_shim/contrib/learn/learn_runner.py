"""`run`: makes an `Experiment` and plays the part of it that TF_CONFIG gives this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from migrate.estimator_shim.contrib.learn.experiment import Experiment
from migrate.estimator_shim.contrib.learn.run_config import RunConfig

__all__ = ["run", "tune"]

_PARTS = {
    "master": "train_and_evaluate",
    "chief": "train_and_evaluate",
    "ps": "run_std_server",
    "worker": "train",
}


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Makes an Experiment and calls one of its methods.

    Args:
      experiment_fn: Takes ``run_config`` and ``hparams`` (or, with output_dir, only
        ``output_dir``) and returns an `Experiment`.
      output_dir: The folder of the model; the older way.
      schedule: The method's name; None for "train_and_evaluate", or in a cluster what TF_CONFIG
        says.
      run_config: A `RunConfig` with a model_dir.
      hparams: Passed to experiment_fn.

    Returns:
      What the method returns.

    Raises:
      ValueError: If both or neither of output_dir and run_config are given, run_config has no
        model_dir, hparams go with output_dir, or the Experiment has no such method.
      TypeError: If experiment_fn is not callable or returns no Experiment.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError(
            "learn_runner.run needs output_dir or run_config, one of them. "
            f"Received: {output_dir!r} and {run_config!r}"
        )
    if not callable(experiment_fn):
        raise TypeError(f"experiment_fn must be a function. Received: {experiment_fn!r}")
    if run_config is not None:
        experiment = _make(experiment_fn, run_config, hparams)
    else:
        if not output_dir:
            raise ValueError(f"output_dir must not be empty. Received: {output_dir!r}")
        if hparams is not None:
            raise ValueError(
                f"hparams go with run_config, not with output_dir. Received: {hparams}"
            )
        experiment = _checked(experiment_fn(output_dir=output_dir))
    name = schedule or _default_schedule(run_config or experiment.estimator.config)
    method = getattr(experiment, name, None)
    if method is None:
        known = sorted(n for n in vars(Experiment) if not n.startswith("_"))
        raise ValueError(f"schedule must be one of {known}. Received: {name!r}")
    if not callable(method):
        raise TypeError(f"schedule must name a method of Experiment. Received: {name!r}")
    return method()


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Runs the trials of a tuner.

    Args:
      experiment_fn: Takes ``run_config`` and ``hparams``, returns an `Experiment`.
      tuner: Has ``next_trial()`` and ``run_experiment(function)``.
    """
    while tuner.next_trial():
        tuner.run_experiment(lambda run_config, hparams: _make(experiment_fn, run_config, hparams))


def _make(experiment_fn: Callable[..., Experiment], run_config: Any, hparams: Any) -> Experiment:
    from migrate.tf1_shim.contrib.training import HParams

    if not isinstance(run_config, RunConfig):
        raise ValueError(f"run_config must be contrib.learn's RunConfig. Received: {run_config!r}")
    if not run_config.model_dir:
        raise ValueError("run_config must have a model_dir. Received: one without")
    if hparams is not None and not isinstance(hparams, HParams):
        raise ValueError(f"hparams must be HParams. Received: {hparams!r}")
    return _checked(experiment_fn(run_config=run_config, hparams=hparams))


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(f"experiment_fn must return an Experiment. Received: {experiment!r}")
    return experiment


def _default_schedule(config: Any) -> str:
    spec = config.cluster_spec
    if sum(len(spec.job_tasks(job)) for job in spec.jobs) <= 1:
        return "train_and_evaluate"
    if config.task_type not in _PARTS:
        raise ValueError(
            f"There is no default schedule for the task {config.task_type!r}: give one. "
            f"Received: schedule=None"
        )
    return _PARTS[config.task_type]
