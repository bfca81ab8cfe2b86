"""The mirrored, workers and servers columns: a program of Estimators under tf.distribute.

The migrated program runs unchanged on one device, and again under a strategy that the shim is told
(``strategy_task.py``): two replicas see together the batches that one device sees. Losses of all
steps and the last checkpoint are compared: 1e-5, or three times what one ulp on the start values
does on one device. Other programs name no place for a strategy: not run.
"""

from __future__ import annotations

import ast
import json
import math
import os
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.parity import workspace
from migrate.parity.compare import Difference
from migrate.parity.devices.run_steps import distance
from migrate.parity.isolation import environment, kill_group
from migrate.parity.tolerances import ENVELOPE_FACTOR
from migrate.parity.verdict import AGREE, CRASHED, DIFFER, FAILED, NOT_RUN, PASSED, Result, Rung

if TYPE_CHECKING:
    from migrate.parity.harness import Options, Program

SCRIPT = Path(__file__).with_name("strategy_task.py")
COLUMNS = ("mirrored", "workers", "servers")
REPLICAS = 2
ULP_RUNS = 2
WHAT = {
    "mirrored": "MirroredStrategy on two logical CPUs",
    "workers": "MultiWorkerMirroredStrategy in two processes",
    "servers": "a parameter server, a chief and a worker that take turns",
}
#: Tasks of a mode: job and index in TF_CONFIG. The first one's word counts.
TASKS = {
    "single": [("", 0)],
    "mirrored": [("", 0)],
    "workers": [("chief", 0), ("worker", 0)],
    "servers": [("chief", 0), ("worker", 0), ("ps", 0)],
}
POLL_SECONDS = 0.05


@dataclass
class Ran:
    """What the tasks of one mode left."""

    cannot: str = ""
    error: str = ""
    trainings: list[dict[str, Any]] = field(default_factory=list)
    arrays: dict[str, Any] = field(default_factory=dict)

    def values(self, number: int) -> dict[str, Any]:
        """The last checkpoint of a training, by name."""
        head = f"{number}/"
        return {name[len(head):]: value for name, value in self.arrays.items()
                if name.startswith(head)}  # fmt: skip


def obstacle(program: Program) -> str:
    """Why a program can't be put under a strategy; empty where it can be tried."""
    if not program.is_script:
        return "only scripts are put under a strategy, this is a module"
    tree = ast.parse(Path(program.target).read_text(encoding="utf-8"))
    named = {
        item.name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for item in node.names
    } | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    if any("estimator_shim" in name for name in named):
        return ""
    return (
        "the program trains by no Estimator of the shim: it names no place for a strategy, and its "
        "steps can't be split from outside (docs/parity-devices.md: a custom loop)"
    )


class Runs:
    """The runs of one program; the one on a single device serves all columns."""

    def __init__(self, program: Program, python: str, folder: Path, options: Options) -> None:
        self.program = program
        self.python = python
        self.folder = folder
        self.options = options
        self.known: dict[tuple[str, int | None], Ran] = {}

    def get(self, mode: str, perturb: int | None = None) -> Ran:
        """A mode's run; made once."""
        key = (mode, perturb)
        if key not in self.known:
            self.known[key] = self._run(mode, perturb)
        return self.known[key]

    def _run(self, mode: str, perturb: int | None) -> Ran:
        place = self.folder / (mode if perturb is None else f"{mode}{perturb}")
        work, turns = place / "work", place / "turns"
        workspace.mirror(self.program.folder(), work)
        turns.mkdir(parents=True)
        script = Path(self.program.target).resolve()
        folder = self.program.folder().resolve()
        if script.is_relative_to(folder):
            script = work / script.relative_to(folder)  # what lies beside it is its copy's
        jobs = TASKS[mode]
        cluster: dict[str, list[str]] = {}
        for job, _ in jobs:
            if job:
                cluster.setdefault(job, []).append(free_address())
        started = []
        try:
            for number, (job, index) in enumerate(jobs):
                out = place / f"out{number}.json"
                description = {
                    "mode": mode, "index": number, "replicas": REPLICAS, "perturb": perturb,
                    "seed": self.options.seed, "cwd": str(work.resolve()), "script": str(script),
                    "args": list(self.program.args), "out": str(out.resolve()),
                    "models": str((place / "models").resolve()), "turns": str(turns.resolve()),
                }  # fmt: skip
                path = place / f"job{number}.json"
                path.write_text(json.dumps(description), encoding="utf-8")
                variables = environment(dict(self.options.variables))
                variables["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
                if job:
                    task = {"type": job, "index": index}
                    variables["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
                with (place / f"log{number}").open("wb") as log:
                    started.append(subprocess.Popen(
                        [self.python, str(SCRIPT), str(path)], env=variables, stdout=log,
                        stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                    ))  # fmt: skip
            late = self._wait(started, [job for job, _ in jobs])
        finally:
            for process in started:
                kill_group(process.pid)
                process.wait()
        return _read(place, len(jobs), late)

    def _wait(self, started: list[subprocess.Popen[bytes]], jobs: list[str]) -> str:
        """Until all but servers have ended, or one has failed; a sentence if time is up."""
        end = time.monotonic() + self.options.limits.seconds
        trains = [process for process, job in zip(started, jobs, strict=True) if job != "ps"]
        while any(process.poll() is None for process in trains):
            if any(process.poll() for process in started):
                time.sleep(1.0)  # what the others have to say
                return ""
            if time.monotonic() > end:
                return f"did not end within {self.options.limits.seconds:g} s"
            time.sleep(POLL_SECONDS)
        return ""


def _read(place: Path, count: int, late: str) -> Ran:
    import numpy as np

    found = Ran(error=late)
    for number in range(count):
        path = place / f"out{number}.json"
        if not path.is_file():
            continue
        told = json.loads(path.read_text(encoding="utf-8"))
        ending = told["ending"]
        found.cannot = found.cannot or ending.get("cannot", "")
        if ending["code"] not in (0, 4):
            found.error = found.error or str(ending["error"])
        if number == 0:
            found.trainings = told["trainings"]
            with np.load(path.with_suffix(".npz"), allow_pickle=False) as stored:
                found.arrays = {
                    str(name): stored[f"a{item}"] for item, name in enumerate(stored["names"])
                }
    if not found.trainings and not found.cannot and not found.error:
        log = (place / "log0").read_text(encoding="utf-8", errors="replace")
        lines = log.strip().splitlines() or ["nothing was said"]
        found.error = f"no training was seen: {lines[-1][:300]}"
    return found


def free_address() -> str:
    """A port of this machine that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{found.getsockname()[1]}"


def verify(mode: str, runs: Runs, empty: Result, progress: Callable[[str], object]) -> Result:
    """A program under one strategy against the same program on one device."""
    empty.verdict, empty.reason = NOT_RUN, obstacle(runs.program)
    if empty.reason:
        return empty
    progress(f"{mode}: one device")
    alone = runs.get("single")
    if alone.cannot or alone.error:
        empty.reason = f"on one device: {alone.cannot or alone.error}"
        empty.verdict = NOT_RUN if alone.cannot else CRASHED
        return empty
    drawn = sorted({kind for training in alone.trainings for kind in training["ops"]})
    if drawn:
        empty.reason = (
            f"its training graph draws random numbers ({', '.join(drawn)}): each replica draws its "
            "own, for its part of the batch"
        )
        return empty
    progress(mode)
    ran = runs.get(mode)
    if ran.cannot:
        empty.reason = ran.cannot
        return empty
    if ran.error:
        empty.verdict, empty.reason = CRASHED, f"under {WHAT[mode]}: {ran.error}"
        return empty
    allowed = runs.options.tolerances.free
    found = judge(empty, mode, alone, ran, [], allowed)
    if found.verdict == DIFFER:
        progress(f"{mode}: one ulp away")
        moved = [runs.get("single", seed + 1) for seed in range(ULP_RUNS)]
        found = judge(empty, mode, alone, ran, moved, allowed)
    return found


def judge(
    result: Result, mode: str, alone: Ran, ran: Ran, moved: list[Ran], allowed: float
) -> Result:
    """Compare losses and checkpoints of all trainings that the strategy made."""
    result.rungs = [
        rung
        for number, training in enumerate(ran.trainings)
        for rung in _training(mode, number, training, alone, ran, moved, allowed)
    ]
    failed = result.failed
    if failed is not None:
        result.verdict, result.reason = DIFFER, f"{failed.name}: {failed.reason}"
        if any(training["batch_norm"] for training in alone.trainings):
            result.reason += "; batch normalisation is of each replica's part of the batch"
        return result
    if not any(rung.status == PASSED for rung in result.rungs):
        result.verdict, result.reason = NOT_RUN, "no step was made"
        return result
    count = sum(rung.compared for rung in result.rungs)
    result.verdict = AGREE
    result.reason = f"{WHAT[mode]}: {count} values compared with one device, same global batch"
    return result


def _training(
    mode: str, number: int, training: dict[str, Any], alone: Ran, ran: Ran, moved: list[Ran],
    allowed: float,
) -> list[Rung]:  # fmt: skip
    head = "" if number == 0 else f"training {number + 1}: "
    spread = training["servers"] if mode == "servers" else training["replicas"] - 1
    if not spread:
        return [Rung(f"{head}strategy", FAILED, f"{WHAT[mode]} was not taken by the program")]
    if number >= len(alone.trainings):
        return [Rung(f"{head}strategy", FAILED, "one device makes no such training")]
    one, other = alone.values(number), ran.values(number)
    moves = [item.values(number) for item in moved if number < len(item.trainings)]
    rungs = []
    if mode == "servers":  # the chief sees every other step
        one["/losses"] = one["/losses"][::REPLICAS]
        moves = [{**item, "/losses": item["/losses"][::REPLICAS]} for item in moves]
    for name, keys in (
        ("losses", ["/losses"]), ("checkpoint", sorted((set(one) | set(other)) - {"/losses"})),
    ):  # fmt: skip
        count, worst, worst_of = 0, 0.0, ""
        failed = None
        for key in keys:
            if key not in one or key not in other:
                side = "the strategy" if key in one else "one device"
                failed = failed or f"{key} is not saved by {side}"
                continue
            limit = max([allowed, *(ENVELOPE_FACTOR * distance(one[key], item[key])
                                    for item in moves if key in item)])  # fmt: skip
            far = distance(one[key], other[key])
            count += one[key].size
            if far > worst:
                worst, worst_of = far, key.strip("/")
            if failed is None and not (far <= limit and math.isfinite(far)):
                shapes = "" if one[key].shape == other[key].shape else (
                    f", {one[key].shape} against {other[key].shape}")  # fmt: skip
                failed = f"{key.strip('/')} differs by {far:.3g} of its largest{shapes}, " \
                         f"allowed {limit:.3g}"  # fmt: skip
        rung = Rung(f"{head}{name}", FAILED if failed else PASSED, failed or "", count,
                    worst=worst if math.isfinite(worst) else None, worst_of=worst_of)  # fmt: skip
        if failed and name == "losses":
            step = _first(one["/losses"], other["/losses"], allowed)
            rung.difference = Difference("loss", "differs", step=step, mismatched=1, total=count,
                                         max_rel=worst, tolerance=allowed)  # fmt: skip
        rungs.append(rung)
    return rungs


def _first(one: Any, other: Any, allowed: float) -> int | None:
    """The first step whose loss differs."""
    for step, (mine, yours) in enumerate(zip(one, other, strict=False)):
        if not abs(mine - yours) <= allowed * abs(mine):
            return step
    return None
