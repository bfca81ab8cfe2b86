"""What a comparison says: rungs, their outcome, and one word for the whole."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from migrate.parity.compare import Difference

PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"
AGREE, DIFFER, CRASHED, NOTHING = "agree", "differ", "crashed", "nothing compared"
#: It compiles for a device that is not here. Neither this nor "not run" is agreement.
COMPILES = "compiles"
EXIT_CODES = {AGREE: 0, DIFFER: 1, NOTHING: 1, CRASHED: 3, NOT_RUN: 1, COMPILES: 0}
RUNGS = (
    "exit", "variables", "forward", "gradients", "one step", "lock-step", "free run", "end state",
    "outputs", "checkpoints",
)  # fmt: skip


@dataclass
class Rung:
    """One rung: passed, failed, or not run with the reason; never passed for want of data."""

    name: str
    status: str
    reason: str = ""
    compared: int = 0
    tolerance: str = ""
    worst: float | None = None
    worst_of: str = ""
    difference: Difference | None = None
    notes: list[str] = field(default_factory=list)


@dataclass
class VariableRow:
    """One line of a report's table of variables."""

    before: str
    after: str
    how: str
    shape: str
    dtype: str
    start: float | None = None
    end: float | None = None
    moved: float | None = None


@dataclass
class Curve:
    """A loss on both sides, step by step."""

    name: str
    before: list[float]
    after: list[float]
    envelope: list[float] | None = None


@dataclass
class Result:
    """The comparison of one pair of programs on one device."""

    name: str
    before: str
    after: str
    device: str = "cpu"
    verdict: str = NOTHING
    reason: str = ""
    rungs: list[Rung] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    variables: list[VariableRow] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)
    witness: dict[str, Any] = field(default_factory=dict)
    tolerances: dict[str, Any] = field(default_factory=dict)
    runtimes: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 all agree, 1 differ, 3 a program that crashed."""
        return EXIT_CODES[self.verdict]

    @property
    def failed(self) -> Rung | None:
        """The rung at which the climb stopped."""
        return next((rung for rung in self.rungs if rung.status == FAILED), None)

    @property
    def worst(self) -> float | None:
        """The largest relative difference that a rung saw."""
        seen = [rung.worst for rung in self.rungs if rung.worst is not None]
        return max(seen) if seen else None

    @property
    def first_step(self) -> int | None:
        """The first training step that differs."""
        failed = self.failed
        return None if failed is None or failed.difference is None else failed.difference.step

    def rung(self, name: str) -> Rung | None:
        """A rung by name."""
        return next((rung for rung in self.rungs if rung.name == name), None)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: floats that JSON can't hold become strings."""
        from dataclasses import asdict

        data = asdict(self)
        data["exit_code"] = self.exit_code
        clean: dict[str, Any] = _clean(data)
        return clean

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Result:
        """A result again, from what ``as_dict`` gave."""
        data = {key: value for key, value in data.items() if key != "exit_code"}
        rungs = [dict(rung) for rung in data["rungs"]]
        for rung in rungs:
            rung["worst"] = _number(rung["worst"])
            if rung["difference"] is not None:
                difference = {key: _number(value) if key.startswith(("max", "tol")) else value
                              for key, value in rung["difference"].items()}  # fmt: skip
                difference["rows"] = [tuple(row) for row in difference["rows"]]
                rung["difference"] = Difference(**difference)
        curves: list[dict[str, Any]] = [
            {key: value if key == "name" or value is None else [_number(item) for item in value]
             for key, value in curve.items()}
            for curve in data["curves"]
        ]  # fmt: skip
        rows = [
            {**row, **{key: _number(row[key]) for key in ("start", "end", "moved")}}
            for row in data["variables"]
        ]
        parts = {
            "rungs": [Rung(**rung) for rung in rungs],
            "curves": [Curve(**curve) for curve in curves],
            "variables": [VariableRow(**row) for row in rows],
        }
        return Result(**{**data, **parts})


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _clean(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value


def decide_device(result: Result) -> None:
    """Set the verdict of a device from its rungs: what compiled and agrees, or why nothing ran."""
    failed = result.failed
    if failed is not None:
        difference = failed.difference
        result.verdict = DIFFER
        result.reason = f"{failed.name}: {difference.headline() if difference else failed.reason}"
        return
    migrated = [rung for rung in result.rungs if rung.name.startswith("migrated")]
    idle = [rung for rung in migrated if rung.status == NOT_RUN]
    if idle or not migrated:
        result.verdict = NOT_RUN
        result.reason = idle[0].reason if idle else "nothing of the migrated program ran"
        return
    result.verdict = AGREE
    count = sum(rung.compared for rung in result.rungs if rung.status == PASSED)
    result.reason = f"{len(migrated)} rungs of the migrated program passed, {count} values compared"


def decide(result: Result) -> None:
    """Set the verdict from the rungs."""
    failed = result.failed
    if failed is not None:
        difference = failed.difference
        result.verdict = CRASHED if failed.name == "exit" and not difference else DIFFER
        result.reason = difference.headline() if difference else failed.reason
        return
    shown = [rung for rung in result.rungs if rung.status == PASSED and rung.name != "exit"]
    if not shown:
        result.verdict = NOTHING
        result.reason = "no rung above the exit status had anything to compare: " + "; ".join(
            f"{rung.name}: {rung.reason}" for rung in result.rungs if rung.reason
        )
        return
    result.verdict = AGREE
    count = sum(rung.compared for rung in shown)
    result.reason = f"{len(shown)} rungs passed, {count} values and tensors compared"
