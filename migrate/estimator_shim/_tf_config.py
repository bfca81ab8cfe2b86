"""What the environment variable TF_CONFIG says: who else is in the cluster, and who this is.

TF_CONFIG is a JSON object::

    {"cluster": {"chief": ["host0:2222"], "worker": ["host1:2222"], "ps": ["host2:2222"]},
     "task": {"type": "worker", "index": 0},
     "model_dir": "...", "service": {...}, "session_master": "...", "eval_session_master": "..."}

Without "cluster" (or without the variable) this process is alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

__all__ = ["TaskType", "read"]


class TaskType:
    """The jobs of a cluster.

    ``CHIEF`` (once ``MASTER``) trains and writes checkpoints, ``WORKER`` trains, ``PS`` holds
    variables, ``EVALUATOR`` evaluates what the chief wrote and is no part of the cluster.
    """

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


@dataclass
class Cluster:
    """One process's view of the cluster; the defaults are those of a process alone."""

    spec: dict[str, list[str]]
    task_type: str = TaskType.WORKER
    task_id: int = 0
    is_chief: bool = True
    master: str = ""
    evaluation_master: str = ""
    num_ps_replicas: int = 0
    num_worker_replicas: int = 1
    global_id: int | None = 0
    service: Any = None
    model_dir: str | None = None
    #: Whether a strategy of training leads the cluster: then its tasks get their roles only from
    #: `train_and_evaluate`.
    coordinated: bool = False


def own_task() -> tuple[str | None, int, str]:
    """This process's part in a cluster that a strategy leads.

    Returns:
      The type of its task (None if TF_CONFIG does not say), its index and the protocol.
    """
    config = json.loads(os.environ.get("TF_CONFIG") or "{}")
    task = config.get("task") or {}
    return task.get("type"), int(task.get("index", 0)), config.get("rpc_layer", "grpc")


def _bad(what: str, received: Any) -> ValueError:
    return ValueError(f"TF_CONFIG: {what}. Received: {received!r}")


def _task(config: dict[str, Any], default_type: str | None) -> tuple[str, int]:
    """The task's type and index, checked for what holds in every cluster."""
    task = config.get("task") or {}
    task_type = task.get("type", default_type)
    if not task_type:
        raise _bad('with a "cluster", "task" must name its "type"', task)
    index = task.get("index", 0 if default_type else None)
    if index is None:
        raise _bad('with a "cluster", "task" must give its "index"', task)
    index = int(index)
    if index < 0:
        raise _bad('the "index" of "task" must not be negative', task)
    return task_type, index


def _alone(config: dict[str, Any]) -> Cluster:
    task_type, index = _task(config, TaskType.WORKER)
    if task_type != TaskType.WORKER or index != 0:
        raise _bad(
            'without a "cluster" this process is alone: leave "task" out, or make it '
            '{"type": "worker", "index": 0}',
            config.get("task"),
        )
    return Cluster({}, master=config.get("session_master", ""))


def _check(spec: dict[str, list[str]], task_type: str, index: int) -> None:
    leaders = [job for job in (TaskType.CHIEF, TaskType.MASTER) if job in spec]
    if len(leaders) != 1:
        raise _bad('"cluster" needs either one "chief" or one "master", and not both', spec)
    if len(spec[leaders[0]]) != 1:
        raise _bad(f'"cluster" must list exactly one {leaders[0]}', spec[leaders[0]])
    if task_type == TaskType.EVALUATOR:
        if leaders[0] == TaskType.MASTER:
            raise _bad('a cluster with a "master" has no evaluator; call the master "chief"', spec)
        return
    if task_type not in spec:
        raise _bad(f'the task\'s type must be one of {sorted(spec)} or "evaluator"', task_type)
    if index >= len(spec[task_type]):
        raise _bad(f'"cluster" lists only {len(spec[task_type])} of the type {task_type}', index)


def global_id(spec: dict[str, list[str]], task_type: str, index: int) -> int:
    """Numbers all tasks: the chief (or master) first, then workers, ps, the rest by name."""
    first = [TaskType.CHIEF, TaskType.MASTER, TaskType.WORKER, TaskType.PS]
    before = 0
    for job in [j for j in first if j in spec] + sorted(j for j in spec if j not in first):
        if job == task_type:
            return before + index
        before += len(spec[job])
    raise AssertionError(job)


def read(coordinated: bool = False) -> Cluster:
    """What TF_CONFIG says.

    Args:
      coordinated: Whether there is a strategy of training. The cluster is its own affair then,
        unless there is a "master"; what the process is in it is not told yet.

    Returns:
      This process's view of the cluster.

    Raises:
      ValueError: If TF_CONFIG is no JSON object, or describes no possible cluster.
    """
    text = os.environ.get("TF_CONFIG") or "{}"
    try:
        config = json.loads(text)
    except ValueError as e:
        raise _bad(f"not valid JSON ({e})", text) from e
    if not isinstance(config, dict):
        raise _bad("must be a JSON object", text)
    spec: dict[str, list[str]] = config.get("cluster") or {}
    if not isinstance(spec, dict):
        raise _bad('"cluster" must map jobs to lists of addresses', spec)
    if coordinated and spec and TaskType.MASTER not in spec:
        found = Cluster(spec, coordinated=True)
    else:
        found = _in_cluster(config, spec) if spec else _alone(config)
    found.service = config.get("service")
    found.model_dir = config.get("model_dir")
    if found.model_dir == "":
        raise _bad('"model_dir" must not be empty; leave it out', "")
    if found.coordinated:
        found.service = None
        return found
    if found.task_type == TaskType.EVALUATOR or not spec:
        found.evaluation_master = config.get("eval_session_master", "")
    return found


def _in_cluster(config: dict[str, Any], spec: dict[str, list[str]]) -> Cluster:
    task_type, index = _task(config, None)
    _check(spec, task_type, index)
    if task_type == TaskType.EVALUATOR:
        return Cluster({}, task_type, index, False, num_worker_replicas=0, global_id=None)
    tasks = sum(len(addresses) for addresses in spec.values())
    protocol = config.get("rpc_layer", "grpc")
    master = f"{protocol}://{spec[task_type][index]}" if tasks > 1 else ""
    leading = task_type in (TaskType.CHIEF, TaskType.MASTER)
    return Cluster(
        spec,
        task_type,
        index,
        leading,
        config.get("session_master", master),
        num_ps_replicas=len(spec.get(TaskType.PS, [])),
        num_worker_replicas=len(spec.get(TaskType.WORKER, [])) + 1,
        global_id=global_id(spec, task_type, index),
    )
