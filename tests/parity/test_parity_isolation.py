"""Programs that hang, crash, fork, fill the disk or the memory: a clear verdict, nothing left."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.parity import isolation
from migrate.parity.environment import Interpreter
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.isolation import Ending, Limits, _Process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")

PROGRAMS = {
    "hang": "import time\nprint('started', flush=True)\ntime.sleep(1000)",
    "daemon": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ["PARITY_TEST"] = "1"
        time.sleep(1000)
    os._exit(0)
os.wait()
""",
    "fill": "with open('big', 'wb') as f:\n    while True: f.write(b'x' * 2**20)",
    "fill_many": """
import itertools, time
for i in itertools.count():
    open('f%d' % i, 'wb').write(b'x' * 2**20)
    time.sleep(0.01)
""",
    "memory": "data = []\nwhile True: data.append(bytearray(2**26))",
    "crash": "import ctypes\nctypes.string_at(0)",
    "raise": "raise ValueError('a mistake')",
    "exit": "import sys\nsys.exit(3)",
}


class Plain(isolation.Launcher):
    """Runs the "job" file itself, so that no TensorFlow is needed."""

    def start(self, job: Path) -> _Process:
        return _Process(
            subprocess.Popen(
                [self.python, str(job)], env=self.variables, start_new_session=True, cwd=job.parent,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip


def run(name: str, tmp_path: Path, limits: Limits) -> tuple[Ending, str]:
    path = tmp_path / f"{name}.py"
    path.write_text(PROGRAMS[name])
    with Plain(sys.executable) as launcher:
        ending = isolation.wait(launcher, path, limits, tmp_path)
        return ending, launcher.variables[isolation.TOKEN]


def alive(token: str) -> int:
    """Processes that still carry the token."""
    needle = f"{isolation.TOKEN}={token}".encode()
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            count += state not in "ZX" and needle in (folder / "environ").read_bytes().split(b"\0")
    return count


def test_hang_is_killed(tmp_path: Path) -> None:
    began = time.monotonic()
    ending, token = run("hang", tmp_path, Limits(seconds=1))
    assert ending.kind == "timeout"
    assert time.monotonic() - began < 20
    assert "killed with its children" in ending.describe()
    assert not alive(token)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_daemon_that_left_the_session_is_killed(tmp_path: Path) -> None:
    ending, token = run("daemon", tmp_path, Limits(seconds=20))
    assert (ending.kind, ending.code) == ("exit", 0)
    assert ending.left_behind
    time.sleep(0.1)
    assert not alive(token)


def test_disk_is_watched(tmp_path: Path) -> None:
    ending, _ = run("fill_many", tmp_path, Limits(seconds=60, disk_bytes=20 * 2**20))
    assert ending.kind == "disk"


def test_signal_is_named(tmp_path: Path) -> None:
    ending, _ = run("crash", tmp_path, Limits(seconds=20))
    assert ending.kind == "signal"
    assert "SIGSEGV" in ending.describe()


def test_environment_is_an_allow_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    made = isolation.environment({"EXTRA": "1"})
    assert "AWS_SECRET_ACCESS_KEY" not in made
    assert "PYTHONPATH" not in made
    assert made["PATH"] == os.environ["PATH"]
    assert (made["EXTRA"], made["CUDA_VISIBLE_DEVICES"]) == ("1", "")
    assert made["TF_ENABLE_ONEDNN_OPTS"] == "0"


@pytest.fixture(scope="module")
def small(tf2: Interpreter) -> Iterator[Harness]:
    limits = Limits(seconds=30, memory_bytes=2**30, file_bytes=4 * 2**20)
    with Harness(Options(limits=limits), tf2=tf2.path) as made:
        yield made


@pytest.mark.tf2
@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("fill", "exception", "File too large"),
        ("memory", "exception", "MemoryError"),
        ("crash", "signal", "SIGSEGV"),
        ("raise", "exception", "ValueError: a mistake"),
        ("exit", "exit", ""),
    ],
)
def test_recorder_says_how_a_program_ended(
    name: str, kind: str, words: str, small: Harness, tmp_path: Path
) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(PROGRAMS[name])
    ending = small.run_program("tf2", Program(str(path))).ending
    assert ending["kind"] == kind
    assert words in str(ending.get("error", ""))
    assert ending["code"]


@pytest.mark.tf2
def test_hang_of_a_program_is_a_verdict(small: Harness, tmp_path: Path) -> None:
    path = tmp_path / "hang.py"
    path.write_text(PROGRAMS["hang"])
    plain = small.options
    try:
        # How long a busy machine takes to get to the program's first line isn't known.
        for seconds in (2, 10, 60):
            small.options = replace(plain, limits=replace(plain.limits, seconds=seconds))
            found = small.run_program("tf2", Program(str(path)))
            if found.stdout:
                break
    finally:
        small.options = plain
    assert found.ending["kind"] == "timeout"
    assert found.stdout == "started\n"
