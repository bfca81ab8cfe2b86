"""Child processes: their own group, limits, an allow-list of the environment, killed as a tree.

This is no sandbox. A program under test runs with the rights of the user: it can read and delete
what the user can, and it can talk to the network. The limits stop accidents — a hang, a leak, a
full disk, a fork that stays behind — not malice.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from migrate.parity.errors import ParityError

RECORDER = Path(__file__).with_name("recorder")
TOKEN = "MIGRATE_PARITY_RUN"
POLL_SECONDS = 0.02
GIBIBYTE = 2**30
ALLOWED = (
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TZ", "USER",
    "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USERPROFILE", "XDG_CACHE_HOME", "KERAS_HOME",
)  # fmt: skip
ALLOWED_PREFIXES = ("KERAS_", "TFDS_")
DETERMINISM = {
    "KERAS_BACKEND": "tensorflow",
    # The recorder has to see each step of the shim's Estimators.
    "MIGRATE_ESTIMATOR_SINGLE_STEPS": "1",
    "MPLBACKEND": "Agg",
    "NVIDIA_TF32_OVERRIDE": "0",
    "OMP_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
}


@dataclass(frozen=True)
class Limits:
    """Bounds of one run of a program."""

    seconds: float = 600.0
    memory_bytes: int = 16 * GIBIBYTE
    file_bytes: int = 2 * GIBIBYTE
    disk_bytes: int = 4 * GIBIBYTE

    def for_child(self) -> dict[str, int]:
        """What the child sets on itself by ``setrlimit``."""
        return {"memory_bytes": self.memory_bytes, "file_bytes": self.file_bytes}


@dataclass(frozen=True)
class Ending:
    """How a child ended. ``kind``: exit, signal, timeout, or disk."""

    kind: str
    code: int
    seconds: float
    left_behind: int = 0

    def describe(self) -> str:
        """One clause for a verdict."""
        if self.kind == "timeout":
            return f"did not end within {self.seconds:.0f} s and was killed with its children"
        if self.kind == "disk":
            return "wrote more than its share of the disk and was killed with its children"
        if self.kind == "signal":
            try:
                name = signal.Signals(self.code).name
            except ValueError:
                name = str(self.code)
            hint = " (out of memory?)" if name in ("SIGKILL", "SIGABRT", "SIGSEGV") else ""
            return f"was ended by {name}{hint}"
        return f"ended with exit code {self.code}"


def environment(extra: Mapping[str, str] | None = None, *, device: str = "cpu") -> dict[str, str]:
    """The environment of a child: the allow-list, the flags for reproducible numbers, ``extra``."""
    chosen = {
        name: value
        for name, value in os.environ.items()
        if name in ALLOWED or name.startswith(ALLOWED_PREFIXES)
    }
    chosen.update(DETERMINISM)
    if device != "gpu":
        chosen["CUDA_VISIBLE_DEVICES"] = ""
    elif "CUDA_VISIBLE_DEVICES" in os.environ:
        chosen["CUDA_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]
    if device == "xla":
        chosen["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"
    chosen.update(extra or {})
    chosen[TOKEN] = uuid.uuid4().hex
    return chosen


class Child(Protocol):
    """A started job."""

    pid: int

    def poll(self) -> int | None:
        """The wait status, or None while the job runs."""


class _Process:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        code = self.process.poll()
        if code is None:
            return None
        return -code if code < 0 else code << 8


class _Forked:
    def __init__(self, zygote: Zygote, pid: int) -> None:
        self.zygote = zygote
        self.pid = pid

    def poll(self) -> int | None:
        answer = self.zygote.answer(POLL_SECONDS)
        return None if answer is None else int(answer["status"])


@dataclass
class Launcher:
    """Starts jobs in one interpreter, each in its own session and process group."""

    python: str
    variables: dict[str, str] = field(default_factory=environment)

    def __enter__(self) -> Launcher:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(self, job: Path) -> Child:
        """Start the job described by the file."""
        return _Process(
            subprocess.Popen(
                [self.python, str(RECORDER), str(job)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self.variables,
                start_new_session=True,
            )
        )

    def close(self) -> None:
        """Kill what is left of the jobs."""
        kill_marked(self.variables[TOKEN])


class Zygote(Launcher):
    """A process that has imported TensorFlow and forks a child for each job."""

    def __init__(self, python: str, variables: dict[str, str] | None = None) -> None:
        super().__init__(python, environment() if variables is None else variables)
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = b""

    def start(self, job: Path) -> Child:
        """Fork a child for the job; the first call imports TensorFlow."""
        process = self._running()
        assert process.stdin is not None
        process.stdin.write(str(job).encode() + b"\n")
        process.stdin.flush()
        answer = self.answer(60.0)
        if answer is None:
            self.close()
            raise ParityError(f"{self.python} did not start a job within 60 s.")
        return _Forked(self, int(answer["pid"]))

    def _running(self) -> subprocess.Popen[bytes]:
        if self.process is not None and self.process.poll() is None:
            return self.process
        self.process = subprocess.Popen(
            [self.python, str(RECORDER), "--zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.variables,
            start_new_session=True,
        )
        if self.answer(180.0) is None:
            self.close()
            raise ParityError(
                f"{self.python} could not import TensorFlow within 180 s. "
                f"Try: {self.python} -c 'import tensorflow'"
            )
        return self.process

    def answer(self, seconds: float) -> dict[str, Any] | None:
        """The next line that the zygote wrote, or None if none came in time."""
        assert self.process is not None
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            data = os.read(descriptor, 65536)
            if not data:
                if self.process.poll() is not None or seconds > 1:
                    raise ParityError(
                        f"{self.python} ended before its job did (exit code {self.process.wait()})."
                    )
                return None
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the zygote and whatever its jobs left."""
        if self.process is not None:
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            kill_group(self.process.pid)
            self.process.wait()
            self.process = None
            self.buffer = b""
        super().close()


def launcher(
    python: str, variables: dict[str, str] | None = None, *, fork: bool = True
) -> Launcher:
    """A zygote where the platform can fork, else one new interpreter for each job."""
    if fork and sys.platform != "win32":
        return Zygote(python, variables)
    return Launcher(python, environment() if variables is None else variables)


def wait(starter: Launcher, job: Path, limits: Limits, watched: Path | None = None) -> Ending:
    """Start a job and wait for it; kill its tree at a limit, and what it leaves behind anyway.

    Args:
        starter: where the job runs.
        job: the job's file.
        limits: seconds and bytes; ``disk_bytes`` bounds everything below ``watched``.
        watched: folder that the job writes into.
    """
    began = time.monotonic()
    child = starter.start(job)
    next_look = began + 1.0
    while True:
        status = child.poll()
        now = time.monotonic()
        if status is not None:
            left = kill_marked(starter.variables[TOKEN], keep=zygote_of(starter))
            kill_group(child.pid)
            return ended(status, now - began, left)
        kind = None
        if now - began > limits.seconds:
            kind = "timeout"
        elif watched is not None and now > next_look:
            next_look = now + 1.0
            if size_of(watched) > limits.disk_bytes:
                kind = "disk"
        if kind is not None:
            kill_group(child.pid)
            kill_marked(starter.variables[TOKEN], keep=zygote_of(starter))
            while child.poll() is None:
                time.sleep(POLL_SECONDS)
            return Ending(kind, 1, now - began)
        if not isinstance(child, _Forked):
            time.sleep(POLL_SECONDS)


def ended(status: int, seconds: float, left_behind: int) -> Ending:
    """An ending from a wait status."""
    number = status & 0x7F
    if number:
        return Ending("signal", number, seconds, left_behind)
    return Ending("exit", (status >> 8) & 0xFF, seconds, left_behind)


def zygote_of(starter: Launcher) -> frozenset[int]:
    """The process that has to survive the end of a job."""
    process = getattr(starter, "process", None)
    return frozenset() if process is None else frozenset([process.pid])


def kill_group(pid: int) -> int:
    """Kill a process group; returns 1 if there was one."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(pid)], check=False, capture_output=True)
        return 0
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return 0
    return 1


def kill_marked(token: str, keep: frozenset[int] = frozenset()) -> int:
    """Kill every process whose environment holds the token, in whatever session (Linux)."""
    killed = 0
    needle = f"{TOKEN}={token}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        if pid in keep or pid == os.getpid():
            continue
        try:
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state not in "ZX":
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
        except OSError:
            continue
    return killed


def size_of(folder: Path) -> int:
    """Bytes of the regular files below a folder, links not followed."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(root, name)).st_size
    return total
