"""Clusters of real processes on this machine: parameter servers, workers that die, collectives."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import HERE
from .test_faults import latest

#: The longest that a task may take to make a step, or to end.
PATIENCE = 100


class Task:
    """A running task, whose output is read as it comes."""

    def __init__(self, command: list[str], log: Path) -> None:
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TF_CONFIG")}
        self.log = log
        with log.open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=env
            )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as out:
            for line in out:
                self.lines.append(line)

    def steps(self, n: int) -> int:
        """Waits for so many steps from now on; the last one."""
        wanted = len(self.lines) + n
        give_up = time.monotonic() + PATIENCE
        while len(self.lines) < wanted:
            assert self.process.poll() is None, self.errors()
            assert time.monotonic() < give_up, f"no step: {self.lines[-1:]} {self.errors()}"
            time.sleep(0.05)
        return int(self.lines[wanted - 1].split()[1])

    def errors(self) -> str:
        """The end of what it said on stderr."""
        return self.log.read_text(encoding="utf-8")[-2000:]

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(20)
        self._reader.join(20)

    def result(self) -> dict[str, Any]:
        """What it saw, when it has ended well."""
        self.process.wait(PATIENCE)
        self._reader.join(20)
        assert self.process.returncode == 0, self.errors()
        result: dict[str, Any] = json.loads(self.lines[-1])
        return result


def free_ports(n: int) -> list[int]:
    """Ports that nobody listens on."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("localhost", 0))
        return [s.getsockname()[1] for s in sockets]


class Cluster:
    """Starts tasks, in one folder, and ends them all at last."""

    def __init__(self, python: str, folder: Path, jobs: dict[str, int], **options: Any) -> None:
        self.python = python
        self.folder = folder
        ports = iter(free_ports(sum(jobs.values())))
        self.addresses = {
            job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in jobs.items()
        }
        self.options = options
        self.tasks: list[Task] = []

    def start(self, job: str, index: int = 0) -> Task:
        """Starts a task, or starts it again."""
        known = {
            "folder": str(self.folder / "model"),
            "job": job,
            "index": index,
            "cluster": self.addresses,
        }
        options = json.dumps(known | self.options)
        command = [self.python, str(HERE / "cluster_task.py"), options]
        self.tasks.append(Task(command, self.folder / f"{job}{index}.log"))
        return self.tasks[-1]


@contextlib.contextmanager
def cluster(python: str, folder: Path, jobs: dict[str, int], **options: Any) -> Iterator[Cluster]:
    """A cluster whose tasks don't outlive the block."""
    made = Cluster(python, folder, jobs, **options)
    try:
        yield made
    finally:
        for task in made.tasks:
            task.kill()


def checkpoint(python: str, folder: Path) -> dict[str, Any]:
    """The newest checkpoint's values."""
    code = (
        "import sys, json, tensorflow as tf\n"
        "r = tf.train.load_checkpoint(sys.argv[1])\n"
        "keys = r.get_variable_to_shape_map()\n"
        "print(json.dumps({k: r.get_tensor(k).ravel().tolist() for k in keys}))\n"
    )
    command = [python, "-c", code, str(folder / "model")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.tf2
@pytest.mark.slow
def test_parameter_server(tf2_python: str, tmp_path: Path) -> None:
    jobs = {"chief": 1, "worker": 1, "ps": 1}
    with cluster(tf2_python, tmp_path, jobs, max_steps=400, slow=0.03, save=100) as c:
        server, chief_task, evaluator_task = map(c.start, ("ps", "chief", "evaluator"))
        chief_task.steps(5)
        worker = c.start("worker").result()
        chief, evaluator = chief_task.result(), evaluator_task.result()
        assert server.process.poll() is None
    assert chief["config"] == ["chief", 0, True, 1, 2, 0]
    assert worker["config"] == ["worker", 0, False, 1, 2, 1]
    assert evaluator["config"] == ["evaluator", 0, False, 0, 0, None]
    assert {r["result"] for r in (chief, worker, evaluator)} == {None}
    assert worker["input"][0] > 0
    values = checkpoint(tf2_python, tmp_path)
    steps = values["global_step"][0]
    assert steps >= 400
    # `apply_gradients` counts behind its updates: the chief may save between the worker's two.
    either = [pytest.approx([-0.01 * n], rel=1e-5) for n in (steps, steps + 1)]
    assert values["w"] in either
    assert len(list((tmp_path / "model" / "export" / "final").iterdir())) == 1


@pytest.mark.tf2
@pytest.mark.slow
def test_killed_tasks_come_back(tf2_python: str, tmp_path: Path) -> None:
    """A worker, the parameter server and the chief are killed with -9 and started again."""
    jobs = {"chief": 1, "worker": 1, "ps": 1}
    # Enough steps for every restart to fall into the training, however quick the machine is.
    with cluster(tf2_python, tmp_path, jobs, max_steps=1500, slow=0.05, save=10) as c:
        server, chief = c.start("ps"), c.start("chief")
        chief.steps(12)
        worker = c.start("worker")
        worker.steps(3)
        worker.kill()
        chief.steps(10)  # goes on alone
        worker = c.start("worker")
        worker.steps(3)
        server.kill()
        time.sleep(0.5)
        saved = latest(tmp_path / "model")
        server = c.start("ps")
        assert chief.steps(3) >= saved  # the variables are those of the checkpoint
        assert worker.steps(3) >= saved
        chief.kill()
        worker.steps(3)
        chief = c.start("chief")
        chief.steps(3)
        chief.result()
        worker.result()
    values = checkpoint(tf2_python, tmp_path)
    steps = values["global_step"][0]
    assert steps >= 1500
    # Nothing was lost between steps, nothing counted twice: w tells the same as the step.
    assert values["w"] == pytest.approx([-0.01 * steps], rel=1e-3)


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize(("first", "flags"), [("chief", {"v1": True}), ("worker", {})])
def test_multi_worker_mirrored(
    tf1_python: str, tf2_python: str, tmp_path: Path, first: str, flags: dict[str, Any]
) -> None:
    """Both workers see the losses of 1.15.5, and end with its variables."""
    seen = []
    jobs = {"chief": 1, "worker": 1} if first == "chief" else {"worker": 2}
    second = 0 if first == "chief" else 1
    for python in (tf1_python, tf2_python):
        folder = tmp_path / str(len(seen))
        folder.mkdir()
        options = {"strategy": "multi_worker", "max_steps": 7, **flags}
        with cluster(python, folder, jobs, **options) as c:
            tasks = [c.start(first), c.start("worker", second)]
            if first == "worker":
                c.addresses["evaluator"] = ["localhost:1"]
                tasks.append(c.start("evaluator"))
            results = [task.result() for task in tasks]
        names = sorted(
            str(p.relative_to(folder)) for p in folder.rglob("model.ckpt-*") if p.suffix != ".meta"
        )
        seen.append((results, checkpoint(tf2_python, folder), names))
    (old_results, old_values, old_names), (results, values, names) = seen
    assert names == old_names
    assert values.keys() == old_values.keys()
    for name, value in old_values.items():
        assert values[name] == pytest.approx(value, rel=1e-5, abs=1e-7), name
    for new, old in zip(results, old_results, strict=True):
        assert new["losses"]["data"] == pytest.approx(old["losses"]["data"], rel=1e-6)
        for key in ("config", "train", "result", "input"):
            assert new[key] == old[key], key
