"""Tasks of a cluster are killed with -9 and started again: every step is made, and made once."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import strategy_losses
import strategy_resume

SECONDS = 240  # the longest that a task may take to the next step
KILLED_AFTER = 4
pytestmark = [
    pytest.mark.tf2,
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("libtpu") is None,
        reason="up to four processes with TensorFlow: run where the extra `tpu` is installed",
    ),
]


class Task:
    """A process, and the lines that it has said."""

    def __init__(self, role: str, kind: str, folder: Path, cluster: dict[str, list[str]],
                 index: int, **more: str) -> None:  # fmt: skip
        job = {"server": "ps" if index < 0 else "worker"}.get(role, role)
        task = {"cluster": cluster, "task": {"type": job, "index": max(index, 0)}}
        variables = {
            **os.environ, "TF_CONFIG": json.dumps(task), "TF_ENABLE_ONEDNN_OPTS": "0",
            "CUDA_VISIBLE_DEVICES": "", "GRPC_FAIL_FAST": "use_caller", **more,
        }  # fmt: skip
        command = [sys.executable, strategy_resume.__file__, role, kind, str(folder / "saved")]
        self.log = folder / f"{role}{index}-{time.monotonic_ns()}.log"
        with self.log.open("w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                command, env=variables, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as out:
            self.lines.extend(iter(out.readline, ""))

    def wait(self, pattern: str) -> None:
        """Until it says a line that matches."""
        end = time.monotonic() + SECONDS
        while not any(re.match(pattern, line) for line in self.lines):
            alive = self.process.poll() is None or self.reader.is_alive()
            assert alive and time.monotonic() < end, self.log.read_text()[-3000:]  # noqa: PT018
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9."""
        self.process.kill()
        self.process.wait(20)
        self.reader.join(20)

    def steps(self) -> list[int]:
        """Those that it made and saved."""
        return [int(line.split()[1]) for line in self.lines if line.startswith("step ")]

    def losses(self) -> list[float]:
        """Of all steps, at the end."""
        return [float(word) for word in self.lines[-1].split()[1:]]


@contextlib.contextmanager
def tasks() -> Iterator[list[Task]]:
    """Tasks that don't outlive the block."""
    started: list[Task] = []
    try:
        yield started
    finally:
        for task in started:
            task.kill()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """Losses of one device that nobody disturbs."""
    out = tmp_path_factory.mktemp("alone") / "single.json"
    subprocess.run(
        [sys.executable, strategy_losses.__file__, "single", str(out)],
        env={**os.environ, "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": ""},
        check=True, timeout=SECONDS, capture_output=True,
    )  # fmt: skip
    found: dict[str, list[float]] = json.loads(out.read_text())
    return found


def check(lives: list[Task], expected: list[float]) -> None:
    """All lives of a task together: no step lost, none made again that was saved."""
    made = [step for life in lives for step in life.steps()]
    assert made == sorted(set(made))
    if len(lives) > 1:
        # What was killed may have saved one step more than it could say.
        assert lives[1].steps()[0] - lives[0].steps()[-1] in (1, 2)
    assert lives[-1].losses() == pytest.approx(expected, rel=2e-6)


@pytest.mark.parametrize("kind", ["v1", "keras"])
@pytest.mark.parametrize("killed", [0, 1], ids=["chief", "worker"])
def test_multi_worker_mirrored(
    kind: str, killed: int, alone: dict[str, list[float]], tmp_path: Path
) -> None:
    """A ring can't go on without one of it: who is left is ended, and both start again."""
    with tasks() as started:

        def start() -> list[Task]:
            cluster = {"worker": [strategy_losses.free_address() for _ in range(2)]}
            both = [Task("worker", kind, tmp_path, cluster, index) for index in range(2)]
            started.extend(both)
            return both

        first = start()
        first[killed].wait(f"step {KILLED_AFTER}\n")
        first[killed].kill()
        first[1 - killed].kill()
        second = start()
        for task in second:
            task.wait("done ")
        check([first[0], second[0]], alone[kind])
        assert second[0].losses() == second[1].losses()


@pytest.mark.parametrize("kind", ["v1", "keras"])
@pytest.mark.parametrize("killed", ["chief", "worker"])
def test_parameter_server(
    kind: str, killed: str, alone: dict[str, list[float]], tmp_path: Path
) -> None:
    """Without a worker the steps go to the other; a new coordinator restores the last step."""
    cluster = {
        "chief": [strategy_losses.free_address()], "ps": [strategy_losses.free_address()],
        "worker": [strategy_losses.free_address() for _ in range(2)],
    }  # fmt: skip
    with tasks() as started:
        servers = [Task("server", kind, tmp_path, cluster, index) for index in (-1, 0, 1)]
        started.extend(servers)
        lives = [Task("chief", kind, tmp_path, cluster, 0, HOLD=str(KILLED_AFTER))]
        started.append(lives[0])
        lives[0].wait(f"step {KILLED_AFTER}\n")
        if killed == "worker":
            # Between two steps: one that its worker dies in is made again, maybe for the 2nd time.
            servers[1].kill()
            (tmp_path / "saved-go").touch()
            lives[0].wait(f"step {KILLED_AFTER + 2}\n")
            started.append(Task("server", kind, tmp_path, cluster, 0))
        else:
            lives[0].kill()
            lives.append(Task("chief", kind, tmp_path, cluster, 0))
            started.append(lives[1])
        lives[-1].wait("done ")
        check(lives, alone[kind])
