"""The functions of a training step, taken out of a program: both sides, in one form.

The original comes out of its recorded graph; a program that kept its session too; one that calls
``tf.function`` is watched while it runs. What ``steps_writer.py`` writes is read here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from migrate.parity import bundle
from migrate.parity.devices import ops
from migrate.parity.errors import ParityError

if TYPE_CHECKING:
    from migrate.parity.bundle import Bundle
    from migrate.parity.harness import Harness, Program

RECORD = "steps.json"
ORIGINAL, MIGRATED = "original", "migrated"


@dataclass(frozen=True)
class Lacking:
    """An operation of a step that XLA has no kernel for, where it stands, what would lift it."""

    op: str
    path: str
    line: int
    text: str
    function: str

    def describe(self) -> str:
        """One sentence."""
        where = f" ({Path(self.path).name}:{self.line}" if self.path else f" (in {self.function}"
        code = f": `{self.text}`)" if self.text else ")"
        return f"XLA has no kernel for {self.op}{where}{code}. {ops.rewrite(self.op)}"


@dataclass(frozen=True)
class Steps:
    """What one side's steps are, or the ``reason`` why they could not be taken."""

    side: str
    folder: Path
    record: dict[str, Any]
    reason: str = ""

    @property
    def functions(self) -> list[dict[str, Any]]:
        """All functions that were seen."""
        found: list[dict[str, Any]] = self.record.get("functions", [])
        return found

    @property
    def training(self) -> list[dict[str, Any]]:
        """Functions that train."""
        return [function for function in self.functions if function["train"]]

    @property
    def judged(self) -> list[dict[str, Any]]:
        """What has to compile: the training steps, or every function of a program without any."""
        return self.training or self.functions

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls that were kept."""
        found: list[dict[str, Any]] = self.record.get("calls", [])
        return found

    def lacking(self, *functions: dict[str, Any]) -> list[Lacking]:
        """Operations of functions, or of all judged ones, without a kernel of XLA's."""
        found = []
        for function in functions or self.judged:
            for item in function["missing"]:
                path, line = item["place"] or ("", 0)
                found.append(Lacking(item["op"], path, line, _source(path, line), function["name"]))
        return found

    def obstacle(self) -> str:
        """Why no judged function can be compiled by XLA; empty where all can."""
        if self.reason:
            return self.reason
        if not self.functions:
            return "the program calls no function and runs no graph that could be compiled"
        failed = [function for function in self.judged if function["module"] is None]
        if not failed:
            return ""
        sentences = []
        for function in failed:
            lacking = [item.describe() for item in self.lacking(function)]
            if lacking and not ops.of_a_shape(function["error"]):
                sentences += lacking
                continue
            place = function.get("error_place") or function.get("place")
            where = f" ({Path(place[0]).name}:{place[1]})" if place else ""
            advice = ops.advice(function["error"])
            error = function["error"].partition(" This could also")[0].rstrip(". ")
            sentences.append(f"{function['name']}{where}: {error}. {advice}".strip())
        return " ".join(dict.fromkeys(sentences))[:1500]


def _source(path: str, line: int) -> str:
    try:
        return (
            Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[line - 1].strip()
        )
    except (OSError, IndexError):
        return ""


def read(side: str, folder: Path) -> Steps:
    """Steps that were written before.

    Raises:
        ParityError: the folder holds none.
    """
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ParityError(f"{folder} holds no steps: {error}") from error
    return Steps(side, folder, record)


def of_original(harness: Harness, program: Program, folder: Path) -> tuple[Steps, Bundle | None]:
    """The original's steps, by its graph on TensorFlow 1.15; and that run with its graph."""
    if harness.pythons["tf1"] is None:
        reason = "no Python with TensorFlow 1.15: its graph is not known"
        return Steps(ORIGINAL, folder, {}, reason), None
    found = harness.run_program("tf1", program, for_devices=True, snapshots=[0])
    kept = found if found.record.get("original") and not found.ending.get("code") else None
    return _replayed(harness, found, ORIGINAL, folder), kept


def of_migrated(harness: Harness, program: Program, folder: Path) -> Steps:
    """The migrated program's steps: its calls of ``tf.function``, else its session's graph."""
    watched = _watched(harness, program, folder)
    if watched.calls or watched.reason:
        if not _may_be_traced(watched):
            return watched
        again = _watched(harness, program, folder.with_name(folder.name + "-xla"), for_xla=True)
        return watched if again.obstacle() else again
    found = harness.run_program("tf2", program, for_devices=True, snapshots=[0])
    if not found.record.get("original"):
        return Steps(
            MIGRATED, folder, {},
            "the program calls neither a tf.function nor a session: put its step into a "
            "function under @tf.function",
        )  # fmt: skip
    plain = _replayed(harness, found, MIGRATED, folder)
    if not _may_be_traced(plain):
        return plain
    found = harness.run_program("tf2", program, for_devices=True, for_xla=True, snapshots=[0])
    again = _replayed(harness, found, MIGRATED, folder.with_name(folder.name + "-xla"))
    return plain if again.obstacle() else again


def _watched(harness: Harness, program: Program, folder: Path, *, for_xla: bool = False) -> Steps:
    ran = harness.run_program(
        "tf2", program, recording=False, for_xla=for_xla,
        device_steps={"out": str(folder.resolve())},
    )  # fmt: skip
    if ran.ending.get("code"):
        return Steps(MIGRATED, folder, {}, f"the program failed: {_first(ran.ending)}")
    return read(MIGRATED, folder)


def _may_be_traced(steps: Steps) -> bool:
    """Whether steps that don't compile may do so as TensorFlow traces them for XLA."""
    errors = [function["error"] for function in steps.judged if function["module"] is None]
    return any(ops.of_a_shape(error) or "Optional" in error for error in errors)


def _replayed(harness: Harness, found: Bundle, side: str, folder: Path) -> Steps:
    original = found.record.get("original") or {}
    if found.ending.get("code"):
        return Steps(
            side, folder, {},
            "with resource variables and loops as functions the program fails: "
            + _first(found.ending),
        )  # fmt: skip
    if not original.get("sets"):
        reason = original.get("broken") or "the program runs no graph"
        return Steps(side, folder, {}, reason)
    place = folder.with_name(folder.name + "-graph")
    bundle.write(found, place)
    try:
        run = harness.job(
            "tf2",
            {
                "mode": "replay", "bundle": str(place.resolve()),
                "device_steps": {"out": str(folder.resolve())},
            },
        )  # fmt: skip
    except ParityError as error:
        return Steps(side, folder, {}, str(error).splitlines()[-1][:400] or str(error)[:400])
    if run.bundle.ending.get("code"):
        return Steps(side, folder, {}, _first(run.bundle.ending))
    return read(side, folder)


def _first(ending: dict[str, Any]) -> str:
    return str(ending.get("error", ending)).splitlines()[0][:400]
