"""Run programs under the recorder and compare what they left: record, verify, run.

``Harness`` keeps one process per interpreter that has imported TensorFlow (see
``isolation.Zygote``), so that a pair of small programs takes a second or two.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from migrate.parity import (
    artifacts,
    bundle,
    compare,
    envelope,
    isolation,
    ladder,
    naming,
    pairs,
    workspace,
)
from migrate.parity.bundle import Bundle
from migrate.parity.climb import CheckpointCheck, Climb
from migrate.parity.errors import ParityError
from migrate.parity.tolerances import ENVELOPE_RUNS, Tolerances
from migrate.parity.verdict import FAILED, Curve, Result, VariableRow, decide

if TYPE_CHECKING:
    from migrate.parity.bundle import Array

TIMEOUT_CODE = 124
CURVE_POINTS = 2000
NEVER = 10**9


@dataclass(frozen=True)
class Program:
    """A program under test: a script or a module, its arguments, the folder it works in."""

    target: str
    args: tuple[str, ...] = ()
    cwd: Path | None = None

    @property
    def is_script(self) -> bool:
        """Whether the target is a path rather than the name of a module."""
        return self.target.endswith(".py") or "/" in self.target or Path(self.target).is_file()

    def folder(self) -> Path:
        """The folder whose copy the program works in."""
        if self.cwd is not None:
            return self.cwd
        return Path(self.target).resolve().parent if self.is_script else Path.cwd()

    def check(self) -> None:
        """Raise ParityError if there is no such program."""
        if self.is_script and not Path(self.target).is_file():
            raise ParityError(f"There is no program {self.target!r}. Give a script or a module.")
        if self.cwd is not None and not self.cwd.is_dir():
            raise ParityError(f"There is no folder {str(self.cwd)!r} to run {self.target} in.")


@dataclass(frozen=True)
class Options:
    """How to run and how to judge."""

    randomness: str = "shape"
    seed: int = 0
    every: int = 10
    windows: int = 5
    envelope_runs: int = ENVELOPE_RUNS
    steps: int | None = None
    witness: bool = True
    lock_step: bool = True
    checkpoints: bool = True
    printed: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    tolerances: Tolerances = field(default_factory=Tolerances)
    limits: isolation.Limits = field(default_factory=isolation.Limits)
    ignore: tuple[str, ...] = ()
    device: str = "cpu"
    variables: tuple[tuple[str, str], ...] = ()
    fork: bool = True

    @property
    def patterns(self) -> list[re.Pattern[str]]:
        """Compiled patterns of lines that are not compared."""
        try:
            return [re.compile(pattern) for pattern in self.ignore]
        except re.error as error:
            raise ParityError(
                f"ignore = {list(self.ignore)!r} is no list of patterns: {error}"
            ) from error

    @property
    def snapshots(self) -> list[int]:
        """Steps after which all variables are recorded."""
        return [0, 1, *range(self.every, self.every * self.windows + 1, self.every)]


@dataclass(frozen=True)
class Run:
    """A finished job: the bundle, or how the process ended without one."""

    bundle: Bundle
    ending: isolation.Ending
    notes: list[str]


class Harness:
    """Runs jobs; use as a context manager, so that no process outlives it."""

    def __init__(self, options: Options, *, tf1: str | None = None, tf2: str | None = None) -> None:
        self.options = options
        self.pythons = {"tf1": tf1, "tf2": tf2}
        self.launchers: dict[tuple[Any, ...], isolation.Launcher] = {}
        self.folder = tempfile.TemporaryDirectory(prefix="migrate-parity-")
        self.count = 0
        self.absent: dict[str, str] = {}

    def __enter__(self) -> Harness:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all processes and remove the working folders."""
        for launcher in self.launchers.values():
            launcher.close()
        self.launchers.clear()
        self.folder.cleanup()

    def python(self, side: str) -> str:
        """The interpreter of a side, ``tf1`` or ``tf2``."""
        found = self.pythons[side]
        if found is None:
            raise ParityError(
                "No Python with TensorFlow 1.15 is known. Give --tf1-python, set "
                "MIGRATE_TF1_PYTHON, or make one with `migrate parity setup`."
                if side == "tf1"
                else "No Python with TensorFlow 2 is known. Give --tf2-python, or install "
                "tf1-migrate[tensorflow]."
            )
        return found

    def launcher(self, side: str) -> isolation.Launcher:
        """The process that starts jobs on a side; settings that ask for the same share one."""
        python = self.python(side)
        variables = isolation.environment(dict(self.options.variables), device=self.options.device)
        own = {name: value for name, value in variables.items() if name != isolation.TOKEN}
        key = (python, *sorted(own.items()))
        if key not in self.launchers:
            self.launchers[key] = isolation.launcher(python, variables, fork=self.options.fork)
        return self.launchers[key]

    # -- jobs --

    def job(self, side: str, description: dict[str, Any], watched: Path | None = None) -> Run:
        """Run one job; ``description`` holds keys of ``recorder.jobs.DEFAULT_JOB``."""
        self.count += 1
        folder = Path(self.folder.name) / f"job{self.count}"
        folder.mkdir()
        out = folder / "out"
        description = {
            "out": str(out),
            "stdout": str(folder / "stdout"),
            "stderr": str(folder / "stderr"),
            "limits": self.options.limits.for_child(),
            **description,
        }
        path = folder / "job.json"
        path.write_text(json.dumps(description), encoding="utf-8")
        ending = isolation.wait(self.launcher(side), path, self.options.limits, watched or folder)
        printed = _text(folder / "stdout")
        errors = _text(folder / "stderr")
        if (out / bundle.RECORD).exists() and ending.kind == "exit":
            found = bundle.read(out)
            found.stdout = printed
        else:
            code = TIMEOUT_CODE if ending.kind == "timeout" else ending.code or 1
            kind = "unrecorded" if ending.kind == "exit" else ending.kind
            text = f"{kind}: the program {ending.describe()}"
            if kind == "unrecorded":
                text += " before anything of it was recorded"
            found = Bundle(
                {
                    "schema": bundle.SCHEMA,
                    "exit": {"kind": kind, "code": code, "error": text,
                             "traceback": errors[-4000:]},
                },
                stdout=printed,
            )  # fmt: skip
        notes = []
        if ending.left_behind:
            notes.append("processes that the program left behind were killed")
        if found.ending.get("kind") == "recorder":
            raise ParityError(
                f"The recorder failed on {description.get('script') or description.get('mode')} "
                f"({self.python(side)}): {found.ending.get('error')}\n"
                f"{found.ending.get('traceback', '')}"
            )
        return Run(found, ending, notes)

    def run_program(self, side: str, program: Program, **job: Any) -> Bundle:
        """Run a program under the recorder, in a copy of its folder; returns its bundle."""
        program.check()
        self.count += 1
        work = Path(self.folder.name) / f"work{self.count}" / "work"
        notes = workspace.mirror(program.folder(), work)
        before = workspace.manifest(work)
        target: dict[str, Any] = {"module": program.target}
        if program.is_script:
            target = {"script": str(Path(program.target).resolve())}
        run = self.job(
            side,
            {
                **target,
                "args": list(program.args),
                "cwd": str(work),
                "randomness": self.options.randomness,
                "seed": self.options.seed,
                "snapshots": self.options.snapshots,
                "steps": self.options.steps,
                **job,
            },
            work,
        )
        files, more = workspace.written(work, before)
        import numpy as np

        for key, data in files.items():
            run.bundle.arrays[f"file/{key}"] = np.frombuffer(data, dtype=np.uint8)
        run.bundle.record["harness_notes"] = notes + more + run.notes
        return run.bundle

    def missing_device(self) -> str | None:
        """Why the migrated program can't run on the asked device; None if it can."""
        device = self.options.device
        if device in ("cpu", "xla"):
            return None
        if device in self.absent:
            return self.absent[device]
        run = self.job("tf2", {"mode": "devices"})
        counts = run.bundle.record.get("devices", {})
        if counts.get(device.upper()):
            return None
        seen = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        reason = f"no {device.upper()} in reach: TensorFlow sees {seen or 'nothing'}"
        self.absent[device] = reason
        return reason

    # -- record --

    def record(self, program: Program) -> Bundle:
        """Record the original on TensorFlow 1: one plain run and its 1-ulp envelope."""
        found = self.run_program("tf1", program)
        if not found.ending.get("code"):
            runs = []
            if found.steps and self.options.envelope_runs:
                runs = [
                    self.run_program("tf1", program, perturb=seed + 1, trace_steps=0)
                    for seed in range(self.options.envelope_runs)
                ]
            envelope.attach(found, runs, self.options.patterns)
            self._read_checkpoint(found)
        found.record["harness"] = {
            "every": self.options.every,
            "windows": self.options.windows,
            "steps": self.options.steps,
            "target": Path(program.target).name if program.is_script else program.target,
            "args": list(program.args),
        }
        found.record["program"] = {"args": list(program.args), **found.record["harness"]}
        return found

    def _read_checkpoint(self, found: Bundle) -> None:
        """Keep every tensor of the last checkpoint as TensorFlow 1 itself reads it."""
        prefixes = artifacts.checkpoints_of(found.files())
        if not prefixes:
            return
        tensors = self.read_checkpoint("tf1", found.files(), prefixes[-1])
        for name, value in tensors.items():
            found.arrays[f"checkpoint/{name}"] = value
        found.record["checkpoint"] = prefixes[-1]

    # -- verify --

    def verify(self, golden: Bundle, program: Program, name: str = "", before: str = "") -> Result:
        """Run the migrated program and climb the ladder against a recorded original."""
        began = time.monotonic()
        self._same_windows(golden)
        after = self.run_program("tf2", program)
        result = Result(
            name or Path(program.target).stem,
            before or str(golden.record.get("program", {}).get("target", "")),
            program.target,
            self.options.device,
        )
        result.tolerances = self.options.tolerances.as_dict()
        result.runtimes = {
            "before": golden.record.get("runtime", {}),
            "after": after.record.get("runtime", {}),
            "randomness": golden.record.get("randomness"),
            "seed": golden.record.get("seed"),
        }
        matching = naming.match(golden, after, self.options.names)
        seed_only = golden.record.get("randomness") == "seed"
        if seed_only and golden.steps and after.steps:
            # Other random numbers: compare from the original's start values on.
            after = self._restored(golden, program, matching, NEVER)
        context = Climb(
            golden,
            after,
            matching,
            self.options.tolerances,
            ignored=self.options.patterns,
            seed_only=seed_only,
            printed=self.options.printed,
        )
        rungs = ladder.climb(context, stop_after="one step")
        if not any(rung.status == FAILED for rung in rungs):
            if not context.printed:
                self._lock_step(context, program)
                self._checkpoints(context)
            rungs = ladder.climb(context)
        result.rungs = rungs
        result.not_compared = matching.not_compared
        result.curves = list(_curves(context))
        result.variables = list(_rows(context))
        if self.options.witness:
            result.witness = self._witness(context)
        decide(result)
        result.seconds = round(time.monotonic() - began, 3)
        return result

    def run(self, original: Program, migrated: Program, name: str = "") -> tuple[Result, Bundle]:
        """Record the original now and verify the migrated program against it."""
        golden = self.record(original)
        return self.verify(golden, migrated, name, original.target), golden

    def _same_windows(self, golden: Bundle) -> None:
        wanted = golden.record.get("harness", {})
        if wanted:
            self.options = replace(
                self.options,
                every=int(wanted["every"]),
                windows=int(wanted["windows"]),
                steps=wanted.get("steps"),
                randomness=golden.record.get("randomness", self.options.randomness),
                seed=int(golden.record.get("seed", self.options.seed)),
            )

    def _lock_step(self, context: Climb, program: Program) -> None:
        if not self.options.lock_step:
            context.lockstep_reason = "switched off"
            return
        if not context.before.steps or not context.after.steps:
            side = "original" if not context.before.steps else "migrated program"
            context.lockstep_reason = f"the {side} makes no training step that could be observed"
            return
        context.lockstep = self._restored(
            context.before, program, context.matching, self.options.every
        )

    def _restored(
        self, golden: Bundle, program: Program, matching: naming.Matching, every: int
    ) -> Bundle:
        """Run the migrated program with the original's variables put back every so many steps."""
        self.count += 1
        path = Path(self.folder.name) / f"start{self.count}.npz"
        values = {key: value for key, value in golden.arrays.items() if key.startswith("v/")}
        bundle.write_arrays(values, path)
        restore = {"arrays": str(path), "every": every, "map": matching.before_of()}
        return self.run_program("tf2", program, restore=restore)

    # -- checkpoints --

    def read_checkpoint(self, side: str, files: dict[str, bytes], prefix: str) -> dict[str, Array]:
        """All tensors of a checkpoint by name."""
        folder = self._unpacked(files, prefix)
        run = self.job(side, {"mode": "read", "checkpoint": str(folder / prefix)})
        return run.bundle.prefixed("v/checkpoint/")

    def _unpacked(self, files: dict[str, bytes], prefix: str) -> Path:
        self.count += 1
        folder = Path(self.folder.name) / f"checkpoint{self.count}"
        workspace.unpack(
            {path: data for path, data in files.items() if path.startswith(prefix + ".")}, folder
        )
        return folder

    def _checkpoints(self, context: Climb) -> None:
        if not self.options.checkpoints:
            context.checkpoint_reason = "switched off"
            return
        prefix = context.before.record.get("checkpoint")
        theirs = artifacts.checkpoints_of(context.after.files())
        if not prefix and not theirs:
            return
        try:
            if prefix:
                context.checkpoints.append(self._forth(context, prefix))
            if theirs:
                context.checkpoints.append(self._back(context, theirs[-1]))
            elif prefix:
                context.checkpoints.append(
                    CheckpointCheck(
                        "migrated → 1.15", {}, {},
                        "not run: the migrated program writes no TensorFlow checkpoint",
                    )
                )  # fmt: skip
        except ParityError as error:
            context.checkpoints.append(
                CheckpointCheck(
                    "restore", {"the checkpoint": _nothing()}, {}, str(error).splitlines()[0]
                )
            )

    def _forth(self, context: Climb, prefix: str) -> CheckpointCheck:
        """The original's checkpoint into the migrated program."""
        direction = "1.15 → migrated"
        files = context.before.files()
        expected = context.before.prefixed("checkpoint/")
        after = context.after
        if "original/meta_graph" in after.arrays:
            restored = self._restore("tf2", after, files, prefix)
            kept = {name: value for name, value in expected.items() if name in restored}
            return CheckpointCheck(direction, kept, restored, "by a Saver in the migrated graph")
        restored = self.read_checkpoint("tf2", files, prefix)
        return CheckpointCheck(direction, expected, restored, "read by name")

    def _back(self, context: Climb, prefix: str) -> CheckpointCheck:
        """The migrated program's checkpoint into the original, on TensorFlow 1."""
        direction = "migrated → 1.15"
        files = context.after.files()
        expected = self.read_checkpoint("tf2", files, prefix)
        graph_based = "original/meta_graph" in context.after.arrays
        if self.pythons["tf1"] is None:
            known = context.before.prefixed("checkpoint/") if graph_based else {}
            return CheckpointCheck(
                direction, _shapes(known), _shapes(expected),
                "not restored, names and shapes only: no Python with TensorFlow 1.15",
            )  # fmt: skip
        if graph_based and "original/meta_graph" in context.before.arrays:
            restored = self._restore("tf1", context.before, files, prefix)
            kept = {name: value for name, value in expected.items() if name in restored}
            return CheckpointCheck(direction, kept, restored, "by a Saver in the original's graph")
        restored = self.read_checkpoint("tf1", files, prefix)
        return CheckpointCheck(direction, expected, restored, "read by name")

    def _restore(
        self, side: str, graph: Bundle, files: dict[str, bytes], prefix: str
    ) -> dict[str, Array]:
        folder = self._unpacked(files, prefix)
        meta = folder / "graph.meta"
        meta.write_bytes(graph.arrays["original/meta_graph"].tobytes())
        run = self.job(
            side,
            {"mode": "restore", "meta_graph": str(meta), "checkpoint": str(folder / prefix)},
        )
        return run.bundle.prefixed("v/restored/")

    # -- the third witness --

    def _witness(self, context: Climb) -> dict[str, Any]:
        """The original's own graph on TensorFlow 2: what is the runtime's, what the migration's?"""
        found = self.witness(context.before)
        return found if isinstance(found, dict) else _witness_report(context, found)

    def witness(self, before: Bundle) -> Bundle | dict[str, Any]:
        """A run of the original's own graph on TensorFlow 2, or why there is none."""
        original = before.record.get("original")
        if not original:
            return {"status": "not run", "reason": "the original ran no graph"}
        if original.get("broken"):
            return {"status": "not run", "reason": original["broken"]}
        if original.get("sessions", 1) > 1:
            count = original["sessions"]
            reason = f"it trains in {count} sessions, each with variables of its own"
            return {"status": "not run", "reason": reason}
        stateful = sorted({"PyFunc", "PyFuncStateless", "EagerPyFunc"} & set(original["op_types"]))
        if stateful:
            return {"status": "not run", "reason": f"its graph calls Python ({stateful[0]})"}
        self.count += 1
        folder = Path(self.folder.name) / f"witness{self.count}"
        bundle.write(before, folder)
        try:
            run = self.job("tf2", {
                "mode": "witness", "bundle": str(folder), "snapshots": self.options.snapshots,
            })  # fmt: skip
        except ParityError as error:
            lines = str(error).splitlines()
            return {"status": "not run", "reason": lines[0][:400]}
        if run.bundle.ending.get("code"):
            return {"status": "not run", "reason": str(run.bundle.ending.get("error"))[:400]}
        return run.bundle


def _witness_report(context: Climb, witness: Bundle) -> dict[str, Any]:
    """Largest relative distances of the losses, pairwise."""
    lost = {
        "before": losses(context.before),
        "witness": losses(witness),
        "after": losses(context.after),
    }
    return {
        "status": "run",
        "steps": witness.steps,
        "runtime": _furthest(lost["before"], lost["witness"]),
        "migration": _furthest(lost["witness"], lost["after"]),
        "what": "largest relative distance of a loss: runtime is the original on 1.15 against the "
        "original on 2.x, migration is the original on 2.x against the migrated program",
    }


def losses(found: Bundle) -> list[Array]:
    """Losses of a run by the place that they are differentiated at."""
    series = [item for item in found.series() if item.kind == "loss"]
    return [item.values for item in sorted(series, key=lambda item: int(item.label))]


def _furthest(first: Sequence[Array], second: Sequence[Array]) -> float | None:
    worst = None
    for one, other in zip(first, second, strict=False):
        count = min(len(one), len(other))
        if count:
            size = compare.measure(one[:count], other[:count]).max_rel
            worst = size if worst is None else max(worst, size)
    return worst


def _curves(context: Climb) -> Iterable[Curve]:
    for pair in pairs.series_pairs(context):
        if len(pair.before.values) < 2 or pair.before.values.dtype.kind not in "fiu":
            continue
        moved = envelope.series_of(context.before, pair.before.key)
        thin = slice(None, None, max(1, len(pair.before.values) // CURVE_POINTS))
        yield Curve(
            pair.name,
            [float(value) for value in pair.before.values[thin]],
            [float(value) for value in pair.after.values[thin]],
            None if moved is None else [float(value) for value in moved[thin]],
        )


def _rows(context: Climb) -> Iterable[VariableRow]:
    start_before, start_after = context.before.snapshot("0"), context.after.snapshot("0")
    end_before, end_after = context.before.snapshot("end"), context.after.snapshot("end")
    for pair in context.matching.pairs:
        row = VariableRow(pair.before, pair.after, f"{pair.kind}, by {pair.how}", "", "")
        start, end = start_before.get(pair.before), end_before.get(pair.before)
        known = start if start is not None else end
        if known is not None:
            row.shape, row.dtype = str(list(known.shape)), str(known.dtype)
        if start is not None and pair.after in start_after:
            row.start = compare.measure(start, start_after[pair.after]).max_abs
        if end is not None and pair.after in end_after:
            row.end = compare.measure(end, end_after[pair.after]).max_abs
        if start is not None and end is not None:
            row.moved = compare.measure(start, end).max_abs
        yield row


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _shapes(tensors: Mapping[str, Array]) -> dict[str, Array]:
    import numpy as np

    return {f"shape of {name}": np.array(value.shape) for name, value in tensors.items()}


def _nothing() -> Array:
    import numpy as np

    return np.zeros(0)
