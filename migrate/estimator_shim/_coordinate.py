"""`train_and_evaluate` in a cluster that a strategy of training leads, such as MultiWorkerMirrored.

TF1 left this to its distribute coordinator. Each process is one task of TF_CONFIG's cluster: it
starts a server, tells the strategy who it is, and trains on its own target (or only the first one
trains, if the strategy keeps all replicas in one graph). Parameter servers serve; the evaluator
evaluates on its own.
"""

from __future__ import annotations

import copy
from typing import Any

import tensorflow.compat.v1 as tf

from migrate.estimator_shim import _tf_config
from migrate.estimator_shim._tf_config import Cluster, TaskType

_servers: dict[tuple[str, str, int], Any] = {}


def run(estimator: Any, train_spec: Any, eval_spec: Any, evaluate: Any) -> None:
    """Plays this process's part.

    Args:
      estimator: The Estimator.
      train_spec: The TrainSpec.
      eval_spec: The EvalSpec.
      evaluate: Runs the evaluator of an Estimator.

    Raises:
      ValueError: If TF_CONFIG gives this process no part.
    """
    config = estimator.config
    job, index, protocol = _tf_config.own_task()
    cluster: dict[str, list[str]] = config._cluster.spec
    if job == TaskType.EVALUATOR:
        alone = Cluster({}, job, index, False, num_worker_replicas=0, global_id=None)
        evaluate(_as_task(estimator, alone, config.session_config))
        return
    training = {k: v for k, v in cluster.items() if k != TaskType.EVALUATOR}
    if job not in (TaskType.CHIEF, TaskType.WORKER, TaskType.PS) or job not in training:
        raise ValueError(
            f'TF_CONFIG: the task\'s type must be one of {sorted(training)} or "evaluator". '
            f"Received: {job!r}"
        )
    if index >= len(training[job]):
        raise ValueError(
            f'TF_CONFIG: "cluster" lists only {len(training[job])} of the type {job}. '
            f"Received: {index}"
        )
    strategy = config.train_distribute
    session_config = copy.deepcopy(config.session_config)
    between = strategy.extended.experimental_between_graph
    with tf.Graph().as_default():  # in eager mode it would set up the eager runtime again
        if between or job == TaskType.PS:
            strategy.configure(session_config, tf.train.ClusterSpec(training), job, index)
        else:
            strategy.configure(session_config, tf.train.ClusterSpec(training))
    for_server = copy.deepcopy(session_config)
    del for_server.device_filters[:]
    server = None
    if not getattr(strategy.extended, "_std_server_started", False):
        server = _server(training, job, index, for_server, protocol)
    first = job == TaskType.CHIEF or (TaskType.CHIEF not in training and index == 0)
    if job == TaskType.PS or not (between or first):
        assert server is not None
        server.join()
        return
    task = Cluster(
        training,
        job,
        index,
        is_chief=first,
        master=f"{protocol}://{training[job][index]}",
        evaluation_master=f"{protocol}://{training[job][index]}",
        num_ps_replicas=len(training.get(TaskType.PS, [])),
        num_worker_replicas=sum(
            len(training.get(j, [])) for j in (TaskType.CHIEF, TaskType.WORKER)
        ),
        global_id=_tf_config.global_id(training, job, index),
    )
    _as_task(estimator, task, session_config).train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
    )


def _server(
    cluster: dict[str, list[str]], job: str, index: int, session_config: Any, protocol: str
) -> Any:
    """This process's server, started once: a second train_and_evaluate goes on with it."""
    key = (repr(sorted(cluster.items())), job, index)
    if key not in _servers:
        _servers[key] = tf.train.Server(
            tf.train.ClusterSpec(cluster),
            job_name=job,
            task_index=index,
            config=session_config,
            protocol=protocol,
        )
    return _servers[key]


def _as_task(estimator: Any, task: Cluster, session_config: Any) -> Any:
    """A copy of the Estimator that knows which task it is."""
    mine = copy.copy(estimator)
    mine._config = estimator.config.replace(session_config=session_config)
    mine._config._cluster = task
    mine._session_config = session_config
    return mine
