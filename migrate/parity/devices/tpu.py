"""The tpu column where there is no TPU: compile every training step for a named topology.

libtpu compiles ahead of time for chips that are not there and enforces their memory. That shows
that a step compiles and fits; it shows nothing of its numbers, and the verdict says so.
"""

from __future__ import annotations

import importlib.util
import json
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from migrate.parity.devices.steps import MIGRATED, Steps
from migrate.parity.errors import ParityError
from migrate.parity.isolation import Limits, kill_group
from migrate.parity.verdict import (
    AGREE,
    COMPILES,
    FAILED,
    NOT_RUN,
    PASSED,
    Result,
    Rung,
    decide_device,
)

SCRIPT = Path(__file__).with_name("tpu_compile.py")
#: Versions that were tried together; pyproject.toml's extra `tpu` pins them.
TRIED = "jax 0.10.2 with libtpu 0.0.51"
OLDEST = (3, 11)  # of Python, for these
INSTALL = "pip install tf1-migrate[tpu]"
TOPOLOGY = "v5e:2x2"
#: GiB that a step may use on one device, as libtpu 0.0.51 says when one exceeds them.
MEMORY = {
    "v2": 7.48, "v3": 15.48, "v4": 15.25, "v5e": 15.75, "v5p": 95.73, "v6e": 31.24, "tpu7x": 94.74,
}  # fmt: skip
GIBIBYTE = 2**30


@dataclass
class Compiled:
    """What libtpu says of one function on one topology."""

    topology: str
    device: str = ""
    figures: dict[str, Any] = field(default_factory=dict)
    error: str = ""

    @property
    def generation(self) -> str:
        """The topology's first half: ``v5e`` of ``v5e:2x2``."""
        return self.topology.partition(":")[0]

    def needs(self) -> int:
        """Bytes on one chip: arguments, results that share no memory with them, and the rest."""
        figures = self.figures
        own = figures["results"] - min(figures["shared"], figures["results"])
        return int(figures["arguments"] + own + figures["temporary"] + figures["code"])

    def sentence(self) -> str:
        """What is shown, and what is not."""
        fits = f"needs {_size(self.needs())}"
        if self.generation in MEMORY:
            fits = f"fits in {MEMORY[self.generation]:g} GiB ({fits})"
        chips, count = self.figures["chips"], self.figures["flop"]
        flop = "an unknown number of" if count is None else f"{count:.3g}"
        spread = f" on {chips} chips, data-parallel," if chips > 1 else ","
        return (
            f"compiles for {self.device or 'TPU ' + self.generation}{spread} {fits}, "
            f"{flop} FLOP a step; numbers not run"
        )


def _size(count: int) -> str:
    for unit, size in (("GiB", GIBIBYTE), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"


def missing() -> str:
    """Why nothing can be compiled for a TPU here; empty where it can."""
    lacking = [name for name in ("jax", "libtpu") if importlib.util.find_spec(name) is None]
    if not lacking:
        return ""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ("x86_64", "AMD64"):
        return f"libtpu exists for Linux on x86-64 only, this is {sys.platform} on {machine}"
    if sys.version_info < OLDEST:
        found, needed = (".".join(map(str, version[:2])) for version in (sys.version_info, OLDEST))
        return f"{TRIED} needs Python {needed}, this is {found}"
    return f"{' and '.join(lacking)} not installed: {INSTALL} ({TRIED})"


def compile_all(
    every: Sequence[Steps], topology: str, limits: Limits, progress: Callable[[str], object]
) -> dict[tuple[str, int], Compiled]:
    """Compile the training functions of many programs in one process; restart it if it dies.

    Returns what was found by (folder of the steps, number of the function).

    Raises:
        ParityError: the topology is not known, or libtpu does not start.
    """
    wanted = []
    for steps in every:
        for number, function in enumerate(steps.functions):
            if function in steps.judged and function["module"] is not None:
                wanted.append(
                    {
                        "key": f"{steps.folder}#{number}",
                        "path": str(steps.folder / function["module"]),
                        "inputs": function["inputs"],
                        "parallel": True,
                    }
                )
    found: dict[tuple[str, int], Compiled] = {}
    while wanted:
        done = _one_process(wanted, topology, limits, progress)
        for key, compiled in done.items():
            folder, _, place = key.rpartition("#")
            found[folder, int(place)] = compiled
        wanted = [item for item in wanted if item["key"] not in done]
    return found


def _one_process(
    wanted: list[dict[str, Any]], topology: str, limits: Limits, progress: Callable[[str], object]
) -> dict[str, Compiled]:
    """Everything that one process compiled; a module at which it died or hung has an error."""
    found: dict[str, Compiled] = {}
    device = current = ""
    count = 0
    with tempfile.TemporaryDirectory(prefix="migrate-tpu-") as folder:
        job = Path(folder) / "job.json"
        job.write_text(json.dumps({"topology": topology, "modules": wanted}), encoding="utf-8")
        for line in _lines([sys.executable, str(SCRIPT), str(job)], limits):
            if "failed" in line:
                raise ParityError(f"libtpu does not know the topology {topology!r}: "
                                  f"{line['failed'].splitlines()[0]}")  # fmt: skip
            if "device" in line:
                device = line["device"]
            elif "begin" in line:
                current, count = line["begin"], count + 1
                progress(f"{topology} {count}/{len(wanted)} {Path(current).parent.name}")
            elif "timeout" in line:
                found[current] = Compiled(
                    topology, device, error=f"not compiled within {limits.seconds:g} s"
                )
            elif "error" in line:
                found[line["key"]] = Compiled(topology, device, error=line["error"])
            elif "key" in line:
                key = line.pop("key")
                found[key] = Compiled(topology, device, line)
    if current and current not in found:
        found[current] = Compiled(topology, device, error="the compiler ended by itself")
    if not found:
        raise ParityError(f"libtpu did not start for {topology!r}. Tried with: {TRIED}.")
    return found


def _lines(command: list[str], limits: Limits) -> Iterator[dict[str, Any]]:
    """Lines of a child; ``{"timeout": true}`` where the next one does not come in time."""
    from migrate.parity.isolation import environment

    variables = {**environment(), "JAX_PLATFORMS": "cpu"}
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        start_new_session=True, text=True, env=variables,
    )  # fmt: skip
    queue: Queue[str | None] = Queue()

    def read() -> None:
        assert child.stdout is not None
        for line in child.stdout:
            queue.put(line)
        queue.put(None)

    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            deadline = time.monotonic() + limits.seconds
            line: str | None = None
            while line is None:
                try:
                    line = queue.get(timeout=1.0)
                except Empty:
                    beyond = _resident(child.pid) > limits.memory_bytes
                    if time.monotonic() > deadline or beyond:
                        yield {"timeout": True}
                        return
                    continue
                if line is None:
                    return
            if line.startswith("{"):
                yield json.loads(line)
    finally:
        kill_group(child.pid)
        child.wait()


def _resident(pid: int) -> int:
    """Bytes that a process holds in memory (Linux), else 0."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * 4096


def judge(
    result: Result, sides: Sequence[Steps], found: dict[str, dict[tuple[str, int], Compiled]]
) -> None:
    """Rungs and verdict of a program, from what was compiled: ``found`` by topology."""
    sentences: list[str] = []
    for steps in sides:
        obstacle = steps.obstacle()
        for topology, compiled in found.items():
            name = f"{steps.side} {topology}"
            items = [compiled[key] for key in _keys(steps) if key in compiled]
            errors = [item for item in items if item.error]
            if obstacle or not items:
                reason = obstacle or "nothing was compiled"
                result.rungs.append(Rung(name, NOT_RUN, reason))
            elif errors:
                result.rungs.append(Rung(name, FAILED, failure(errors[0])))
            else:
                sentence = max(items, key=Compiled.needs).sentence()
                result.rungs.append(Rung(name, PASSED, compared=len(items), notes=[sentence]))
                if steps.side == MIGRATED:
                    sentences.append(sentence)
    decide_device(result)
    if result.verdict == AGREE:
        result.verdict, result.reason = COMPILES, "; ".join(dict.fromkeys(sentences))


def _keys(steps: Steps) -> list[tuple[str, int]]:
    return [
        (str(steps.folder), number)
        for number, function in enumerate(steps.functions)
        if function in steps.judged and function["module"] is not None
    ]


def failure(compiled: Compiled) -> str:
    """A sentence for an error of libtpu's."""
    text = compiled.error
    used = re.search(r"Used ([\d.]+\w) of ([\d.]+\w) hbm", text) or re.search(
        r"required for .*? \(([\d.]+\w)\) exceeds available HBM \(([\d.]+\w)\)", text
    )
    if used:
        return (
            f"does not fit on {compiled.device} ({compiled.topology}): the step needs "
            f"{used.group(1)}iB, the chip has {used.group(2)}iB"
        )
    if "hbm" in text.lower() and ("exceed" in text.lower() or "oom" in text.lower()):
        return f"does not fit on {compiled.device} ({compiled.topology}): {_sentence(text)}"
    return f"does not compile for {compiled.device} ({compiled.topology}): {_sentence(text)}"


def _sentence(text: str) -> str:
    return " ".join(text.split())[:400]
