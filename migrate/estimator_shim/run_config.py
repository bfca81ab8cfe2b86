"""How an Estimator runs: seeds, checkpoints, summaries, sessions, the cluster."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _tf_config
from migrate.estimator_shim._tf_config import TaskType

__all__ = ["RunConfig", "TaskType"]


class _Default:
    """Tells "not given" from None, which switches a way of saving off."""

    def __repr__(self) -> str:
        return "<default>"


_USE_DEFAULT: Any = _Default()
_DEFAULT_SAVE_SECS = 600

#: What `RunConfig.replace` may change.
_REPLACEABLE = (
    "model_dir",
    "tf_random_seed",
    "save_summary_steps",
    "save_checkpoints_steps",
    "save_checkpoints_secs",
    "session_config",
    "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours",
    "log_step_count_steps",
    "train_distribute",
    "device_fn",
    "protocol",
    "eval_distribute",
    "experimental_distribute",
    "experimental_max_worker_delay_secs",
    "session_creation_timeout_secs",
)


def _takes_op(function: Any) -> bool:
    """Whether a device function takes exactly one argument, named ``op``."""
    if not callable(function):
        return False
    parameters = [p for p in inspect.signature(function).parameters if p != "self"]
    return parameters == ["op"]


#: Property -> (what it must be, in words; the check). None always means "not set".
_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "model_dir": ("a non-empty path", bool),
    "tf_random_seed": ("an int", lambda v: isinstance(v, int)),
    "save_summary_steps": (">= 0", lambda v: v >= 0),
    "save_checkpoints_steps": (">= 0", lambda v: v >= 0),
    "save_checkpoints_secs": (">= 0", lambda v: v >= 0),
    "session_config": ("a tf.compat.v1.ConfigProto", lambda v: isinstance(v, tf.ConfigProto)),
    "keep_checkpoint_max": (">= 0", lambda v: v >= 0),
    "keep_checkpoint_every_n_hours": ("> 0", lambda v: v > 0),
    "log_step_count_steps": ("> 0", lambda v: v > 0),
    "device_fn": ("a function of one argument named `op`", _takes_op),
    "protocol": ('None, "grpc" or "grpc+verbs"', lambda v: v in ("grpc", "grpc+verbs")),
    "experimental_max_worker_delay_secs": ("an int", lambda v: isinstance(v, int)),
    "session_creation_timeout_secs": ("> 0", lambda v: v > 0),
}


def default_session_config() -> Any:
    """The session options of an Estimator whose RunConfig gives none."""
    config = tf.ConfigProto(allow_soft_placement=True)
    one = type(config.graph_options.rewrite_options).ONE
    config.graph_options.rewrite_options.meta_optimizer_iterations = one
    return config


def _cluster_session_config(cluster: _tf_config.Cluster) -> Any:
    """Like `default_session_config`, and blind to other workers, whose absence must not block."""
    if cluster.task_type in (TaskType.CHIEF, TaskType.MASTER):
        visible = ["/job:ps", f"/job:{cluster.task_type}"]
    elif cluster.task_type == TaskType.WORKER:
        visible = ["/job:ps", f"/job:worker/task:{cluster.task_id}"]
    elif cluster.task_type == TaskType.PS:
        visible = ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
    else:
        return None
    config = default_session_config()
    config.device_filters.extend(visible)
    return config


def _property(name: str, doc: str) -> property:
    """A property that `_values` holds."""
    return property(lambda self: self._values[name], doc=doc)


def _of_cluster(name: str, doc: str) -> property:
    """A property that TF_CONFIG decides."""
    return property(lambda self: getattr(self._cluster, name), doc=doc)


class RunConfig:
    """How an Estimator runs. Objects are not changed after construction: see `replace`.

    The cluster (`cluster_spec`, `task_type`, `task_id`, `master`, `is_chief`, the numbers of
    replicas) is not given here but read from the environment variable ``TF_CONFIG``; without it
    the process is alone.

    >>> config = RunConfig(model_dir="/tmp/m", save_checkpoints_steps=500)
    >>> config.save_checkpoints_steps, config.save_checkpoints_secs
    (500, None)
    >>> config.replace(keep_checkpoint_max=2).keep_checkpoint_max
    2
    """

    model_dir = _property("model_dir", "Where checkpoints and summaries go, or None.")
    tf_random_seed = _property("tf_random_seed", "The graph-level seed, or None.")
    save_summary_steps = _property("save_summary_steps", "Steps between summaries.")
    save_checkpoints_steps = _property("save_checkpoints_steps", "Steps between checkpoints.")
    save_checkpoints_secs = _property("save_checkpoints_secs", "Seconds between checkpoints.")
    session_config = _property("session_config", "The ConfigProto of sessions, or None.")
    keep_checkpoint_max = _property("keep_checkpoint_max", "How many checkpoints are kept.")
    keep_checkpoint_every_n_hours = _property(
        "keep_checkpoint_every_n_hours", "One checkpoint in so many hours is kept for good."
    )
    log_step_count_steps = _property("log_step_count_steps", "Steps between lines of the log.")
    train_distribute = _property("train_distribute", "The strategy of training, or None.")
    device_fn = _property("device_fn", "From an operation to its device, or None.")
    protocol = _property("protocol", "How the servers of a cluster speak, or None.")
    eval_distribute = _property("eval_distribute", "The strategy of evaluation, or None.")
    experimental_max_worker_delay_secs = _property(
        "experimental_max_worker_delay_secs", "The longest that a worker waits to start."
    )
    session_creation_timeout_secs = _property(
        "session_creation_timeout_secs", "The longest that a worker waits for its session."
    )
    task_type = _of_cluster("task_type", 'This process\'s job; "worker" if alone.')
    task_id = _of_cluster("task_id", "This process's number in its job.")
    is_chief = _of_cluster("is_chief", "Whether it writes checkpoints and summaries.")
    master = _of_cluster("master", "The target of sessions that train.")
    evaluation_master = _of_cluster("evaluation_master", "The target of sessions that evaluate.")
    num_ps_replicas = _of_cluster("num_ps_replicas", "How many parameter servers there are.")
    num_worker_replicas = _of_cluster("num_worker_replicas", "How many workers, with the chief.")
    global_id_in_cluster = _of_cluster("global_id", "Its number in the cluster, or None.")
    service = _of_cluster("service", 'What TF_CONFIG has under "service".')

    @property
    def cluster_spec(self) -> Any:
        """The cluster as a ``tf.train.ClusterSpec``, empty if this process is alone."""
        return tf.train.ClusterSpec(self._cluster.spec)

    def __init__(
        self,
        model_dir: str | None = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int | None = 100,
        save_checkpoints_steps: int | None = _USE_DEFAULT,
        save_checkpoints_secs: int | None = _USE_DEFAULT,
        session_config: Any = None,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_every_n_hours: float | None = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Callable[..., Any] | None = None,
        protocol: str | None = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        experimental_max_worker_delay_secs: int | None = None,
        session_creation_timeout_secs: float | None = 7200,
    ) -> None:
        """Checks everything and reads ``TF_CONFIG``.

        Args:
          model_dir: Where checkpoints and summaries go; may also come from TF_CONFIG or from the
            Estimator, and must then be the same.
          tf_random_seed: The graph-level seed of every graph that the Estimator builds.
          save_summary_steps: Write summaries every so many steps; 0 or None switches it off.
          save_checkpoints_steps: Save every so many steps. Not together with
            ``save_checkpoints_secs``; None for both switches saving off.
          save_checkpoints_secs: Save every so many seconds; 600 if neither is given.
          session_config: A ``tf.compat.v1.ConfigProto``.
          keep_checkpoint_max: Keep so many recent checkpoints; 0 or None keeps all.
          keep_checkpoint_every_n_hours: Besides, keep one for every so many hours of training.
          log_step_count_steps: Log loss and steps per second every so many steps; None never.
          train_distribute: A ``tf.distribute.Strategy`` for `Estimator.train`.
          device_fn: From an operation to its device, for every operation of the graph.
          protocol: How the servers of a cluster speak, None for "grpc".
          eval_distribute: A ``tf.distribute.Strategy`` for `Estimator.evaluate`.
          experimental_distribute: An object with ``train_distribute``, ``eval_distribute`` and
            ``remote_cluster`` (None), in place of the two arguments above.
          experimental_max_worker_delay_secs: The longest that a worker waits before it starts.
          session_creation_timeout_secs: The longest that a worker waits for its session.

        Raises:
          ValueError: If a value is out of its range, both ways of saving are given, or TF_CONFIG
            describes no possible cluster.
        """
        if save_checkpoints_steps is _USE_DEFAULT and save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, _DEFAULT_SAVE_SECS
        elif save_checkpoints_secs is _USE_DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _USE_DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise _both(save_checkpoints_steps, save_checkpoints_secs)

        if experimental_distribute is not None:
            train_distribute, eval_distribute = _of_experimental(
                experimental_distribute, train_distribute, eval_distribute
            )
        self._cluster = _tf_config.read(coordinated=train_distribute is not None)
        if model_dir is not None:
            _check("model_dir", model_dir)
            model_dir = os.fspath(model_dir)
            if self._cluster.model_dir not in (None, model_dir):
                raise ValueError(
                    "model_dir must be the same in RunConfig and in TF_CONFIG, or be given once. "
                    f"Received: {model_dir!r} and {self._cluster.model_dir!r}"
                )
        if session_config is None and self._cluster.spec and not self._cluster.coordinated:
            session_config = _cluster_session_config(self._cluster)
        self._values: dict[str, Any] = {}
        self._set(
            model_dir=model_dir or self._cluster.model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=save_checkpoints_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            if value is not None:
                _check(name, value)
            self._values[name] = value

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with some properties changed.

        Args:
          **kwargs: New values. A value for one of ``save_checkpoints_steps`` and
            ``save_checkpoints_secs`` clears the other. What TF_CONFIG decides can't be replaced.

        Returns:
          The new RunConfig, of the same class.

        Raises:
          ValueError: If a name can't be replaced, a value is out of range, or both ways of saving
            are given.
        """
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"RunConfig.replace takes only {', '.join(_REPLACEABLE)}. Received: {name!r}"
                )
            if name == "experimental_distribute" and value is not None:
                raise NotImplementedError(
                    "RunConfig.replace(experimental_distribute=...) has no effect in TF1: give "
                    "train_distribute and eval_distribute to the RunConfig. "
                    f"Received: {value!r}"
                )
        by_steps, by_secs = "save_checkpoints_steps", "save_checkpoints_secs"
        if kwargs.get(by_steps) is not None and kwargs.get(by_secs) is not None:
            raise _both(kwargs[by_steps], kwargs[by_secs])
        changes = {k: v for k, v in kwargs.items() if k != "experimental_distribute"}
        if changes.get(by_steps) is not None:
            changes[by_secs] = None
        elif changes.get(by_secs) is not None:
            changes[by_steps] = None
        new = copy.copy(self)
        new._cluster = copy.copy(self._cluster)
        new._values = dict(self._values)
        new._set(**changes)
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> RunConfig:
        """Strategies and device functions are shared, not copied."""
        new = copy.copy(self)
        new._cluster = copy.copy(self._cluster)
        new._values = dict(self._values)
        return new


def _check(name: str, value: Any) -> None:
    if name in _CHECKS:
        what, holds = _CHECKS[name]
        if not holds(value):
            raise ValueError(f"RunConfig: {name} must be {what}. Received: {value!r}")


def _both(steps: Any, secs: Any) -> ValueError:
    return ValueError(
        "Give save_checkpoints_steps or save_checkpoints_secs, not both. "
        f"Received: save_checkpoints_steps={steps!r}, save_checkpoints_secs={secs!r}"
    )


def _of_experimental(config: Any, train: Any, evaluate: Any) -> tuple[Any, Any]:
    """The strategies of a contrib.distribute.DistributeConfig, which is a tuple with names."""
    if config.remote_cluster:
        raise NotImplementedError(
            "experimental_distribute with a remote_cluster (one client that drives a cluster of "
            "standard servers): start train_and_evaluate on each machine instead, with TF_CONFIG. "
            f"Received: {config.remote_cluster!r}"
        )
    for name, value in (("train_distribute", train), ("eval_distribute", evaluate)):
        if value is not None and getattr(config, name) is not None:
            raise ValueError(
                f"Give {name} or experimental_distribute.{name}, not both. "
                f"Received: {value!r} and {getattr(config, name)!r}"
            )
    return train or config.train_distribute, evaluate or config.eval_distribute
