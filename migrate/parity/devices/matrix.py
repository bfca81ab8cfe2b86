"""Every program on every device: run, collect, and one table.

The steps of a program are taken out once and serve all columns but cpu. Compiling for TPUs comes
last, all programs in one process for each topology.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

from migrate.parity.bundle import Bundle
from migrate.parity.config import Comparison
from migrate.parity.devices import backends, cpu, gpu, steps, strategies, tpu, xla
from migrate.parity.devices.steps import MIGRATED, Steps
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness
from migrate.parity.isolation import Limits
from migrate.parity.report import STATES
from migrate.parity.verdict import (
    AGREE,
    COMPILES,
    CRASHED,
    DIFFER,
    FAILED,
    NOT_RUN,
    NOTHING,
    Result,
    Rung,
    decide_device,
)

#: What needs the steps themselves.
OF_STEPS = ("xla", "gpu", "tpu", "export")
#: The column of a platform of JAX's; all others (gpu, cuda, rocm) are GPUs.
PLATFORMS = {"cpu": "export", "tpu": "tpu"}
NOT_REACHED = "not reached"
DRAWN = (
    "its functions draw random numbers: in a step, or for variables that are made as one is traced"
)
MARKS = {AGREE: "agree", DIFFER: "DIFFER", CRASHED: "CRASHED", NOTHING: "nothing compared"}
Progress = Callable[[str], object]


@dataclass
class Plan:
    """What to run and how."""

    devices: tuple[str, ...]
    tf1: str | None
    tf2: str
    work: Path
    topologies: tuple[str, ...] = (tpu.TOPOLOGY,)
    settings: tuple[cpu.Setting, ...] = cpu.SETTINGS
    whole: bool = True
    compile_limits: Limits = field(default_factory=lambda: Limits(300.0))
    results: tuple[Path, ...] = ()
    seconds: float | None = None


@dataclass
class Row:
    """A program under work."""

    item: Comparison
    golden: Bundle | None = None
    graph: Bundle | None = None
    sides: list[Steps] = field(default_factory=list)
    cells: dict[str, Result] = field(default_factory=dict)


def run(
    comparisons: Sequence[Comparison], plan: Plan,
    golden_of: Callable[[Comparison, Harness], Bundle], progress: Progress,
) -> list[Result]:  # fmt: skip
    """Results of all programs on all devices, by program."""
    rows = [Row(item) for item in comparisons]
    # One for all programs: each of its interpreters imports TensorFlow once.
    start = time.monotonic()
    with Harness(rows[0].item.options, tf1=plan.tf1, tf2=plan.tf2) as harness:
        for number, row in enumerate(rows):
            began = time.monotonic()
            head = f"[{number + 1}/{len(rows)}] {row.item.name}"
            for device in plan.devices:
                row.cells[device] = _empty(row.item, device)
            if plan.seconds is not None and began - start > plan.seconds:
                for cell in row.cells.values():
                    cell.reason = f"not reached within {plan.seconds:g} s"
                continue
            try:
                _one(row, plan, harness, golden_of, partial(_say, progress, head))
            except ParityError as error:
                for cell in row.cells.values():
                    if not cell.rungs:
                        cell.verdict, cell.reason = NOT_RUN, str(error).splitlines()[0]
            known = {name: cell for name, cell in row.cells.items() if cell.reason != NOT_REACHED}
            verdicts = ", ".join(f"{name} {cell.verdict}" for name, cell in known.items())
            progress(f"{head}: {time.monotonic() - began:.0f} s; {verdicts}")
    if "tpu" in plan.devices:
        _tpus(rows, plan, progress)
    if plan.results or {"export", "gpu"} & set(plan.devices):
        _exports(rows, plan, progress)
    return [row.cells[device] for row in rows for device in plan.devices]


def _say(progress: Progress, head: str, text: str) -> None:
    progress(f"{head}: {text}")


def _empty(item: Comparison, device: str) -> Result:
    before = item.before.target if item.before else ""
    return Result(item.name, before, item.after.target, device, NOT_RUN, NOT_REACHED)


def _one(
    row: Row, plan: Plan, harness: Harness, golden_of: Callable[[Comparison, Harness], Bundle],
    progress: Progress,
) -> None:  # fmt: skip
    item, before = row.item, row.item.before.target if row.item.before else ""
    if {"cpu", "xla", "gpu", "tpu", "jax", "torch"} & set(plan.devices):
        progress("original")
        harness.options = replace(item.options, device="cpu")
        row.golden = golden_of(item, harness)
    if set(OF_STEPS) & set(plan.devices):
        progress("the steps of both sides")
        take(row, plan, harness)
    if "cpu" in plan.devices and row.golden is not None:
        harness.options = replace(item.options, device="cpu")
        progress("cpu")
        result = harness.verify(row.golden, item.after, item.name, before)
        if plan.settings and result.verdict in (AGREE, DIFFER, NOTHING):
            graph = cpu.graph_of(row.golden, row.graph)
            more = cpu.rungs(row.golden, graph, item.after, item.options, harness, plan.settings)
            result.rungs += more
            failed = next((rung for rung in more if rung.status == FAILED), None)
            if failed is not None and result.verdict == AGREE:
                result.verdict, result.reason = DIFFER, f"{failed.name}: {failed.reason}"
        row.cells["cpu"] = result
    for device in ("gpu", "tpu"):
        if device in plan.devices:
            _own(row, device, harness)
    if "xla" in plan.devices:
        progress("xla")
        _xla(row, plan, harness)
    for backend in ("jax", "torch"):
        if backend in plan.devices and row.golden is not None:
            row.cells[backend] = backends.verify(
                backend, row.golden, item, harness, row.cells[backend]
            )
    _strategies(row, plan, item, progress)


def _strategies(row: Row, plan: Plan, item: Comparison, progress: Progress) -> None:
    wanted = [mode for mode in strategies.COLUMNS if mode in plan.devices]
    if not wanted:
        return
    with tempfile.TemporaryDirectory(prefix="migrate-strategies-") as folder:
        runs = strategies.Runs(item.after, plan.tf2, Path(folder), item.options)
        for mode in wanted:
            row.cells[mode] = strategies.verify(mode, runs, row.cells[mode], progress)


def take(row: Row, plan: Plan, harness: Harness) -> None:
    """Both sides' steps; a failure to take them is their ``reason``."""
    item, folder = row.item, plan.work / row.item.name
    harness.options = replace(item.options, device="cpu")
    try:
        if item.before is not None:
            side, row.graph = steps.of_original(harness, item.before, folder / steps.ORIGINAL)
            row.sides.append(side)
    except ParityError as error:
        row.sides.append(_untaken(steps.ORIGINAL, folder, error))
    try:
        row.sides.append(steps.of_migrated(harness, item.after, folder / steps.MIGRATED))
    except ParityError as error:
        row.sides.append(_untaken(steps.MIGRATED, folder, error))


def _untaken(side: str, folder: Path, error: ParityError) -> Steps:
    reason = f"its steps can't be taken out: {str(error).splitlines()[0][:400]}"
    return Steps(side, folder / side, {}, reason)


def _own(row: Row, device: str, harness: Harness) -> None:
    """Run the migrated program on a device that TensorFlow itself sees, or say what it sees."""
    cell, item = row.cells[device], row.item
    harness.options = replace(item.options, device=device)
    missing = harness.missing_device()
    if missing is not None:
        cell.reason = missing
    elif row.golden is not None:
        row.cells[device] = harness.verify(row.golden, item.after, item.name, cell.before)


def _xla(row: Row, plan: Plan, harness: Harness) -> None:
    cell, item = row.cells["xla"], row.item
    xla.add(cell, row.sides, item.options.tolerances)
    decide_device(cell)
    if not plan.whole or row.golden is None:
        return
    for side in (side for side in row.sides if side.side == steps.MIGRATED):
        if side.record.get("draws", True) or any(f.get("draws") for f in side.functions):
            # XLA's Philox gives its numbers in another order; the steps get them as arguments.
            reason = DRAWN if side.record else "its steps could not be taken out"
            cell.rungs.append(Rung("auto-clustered", NOT_RUN, reason))
            return
    harness.options = replace(item.options, device="xla")
    whole = harness.verify(row.golden, item.after, item.name)
    cell.runtimes, cell.tolerances = whole.runtimes, whole.tolerances
    for rung in whole.rungs:
        rung.name = f"auto-clustered: {rung.name}"
    cell.rungs += whole.rungs
    if whole.verdict in (DIFFER, CRASHED) and cell.verdict == AGREE:
        cell.verdict, cell.reason = DIFFER, f"auto-clustered: {whole.reason}"


def _tpus(rows: list[Row], plan: Plan, progress: Progress) -> None:
    lacking = tpu.missing()
    every = [side for row in rows for side in row.sides]
    found: dict[str, dict[tuple[str, int], tpu.Compiled]] = {}
    for topology in plan.topologies:
        if not lacking:
            found[topology] = tpu.compile_all(every, topology, plan.compile_limits, progress)
    for row in rows:
        cell = row.cells["tpu"]
        if cell.verdict != NOT_RUN:
            continue  # TensorFlow saw one
        if lacking:
            cell.reason = f"{cell.reason}; {lacking}"
        elif row.sides:
            tpu.judge(cell, row.sides, found)


def _exports(rows: list[Row], plan: Plan, progress: Progress) -> None:
    given = [gpu.results(path) for path in plan.results]
    for row in rows:
        cell = row.cells.get("gpu")
        if cell is not None and row.sides and cell.verdict == NOT_RUN:
            obstacles = (side.obstacle() for side in row.sides if side.side == MIGRATED)
            obstacle = next(filter(None, obstacles), "")
            also = f"Its steps can't be exported either: {obstacle}" if obstacle else gpu.ABSENT
            cell.reason = f"{cell.reason}. {also}"
    waiting = [
        (row, name) for row in rows if row.sides
        for name, cell in row.cells.items() if cell.verdict in (NOT_RUN, COMPILES)
    ]  # fmt: skip
    joined = {_join(result, waiting, plan, progress) for result in given}
    if "export" not in plan.devices or "export" in joined:
        return
    every = {row.item.name: row.sides for row in rows if row.sides}
    found, reason = gpu.run_here(every, plan.work / "export", plan.compile_limits, progress)
    for row in rows:
        cell = row.cells["export"]
        if not row.sides:
            continue  # its original doesn't run, say, and the cell says so
        if found is None:
            cell.verdict, cell.reason = NOT_RUN, reason
        else:
            gpu.add(cell, row.sides, found, row.item.options.tolerances)


def _join(
    result: dict[str, Any], waiting: list[tuple[Row, str]], plan: Plan, progress: Progress
) -> str:
    """Add what JAX ran elsewhere to the column of the device that it ran on; that column."""
    device = result["device"]
    column = PLATFORMS.get(device["platform"], "gpu")
    if column not in plan.devices:
        progress(f"a result of {device['device']} ({device['platform']}) belongs to the column "
                 f"{column}, which is not asked for")  # fmt: skip
        return column
    for row, name in waiting:
        if name == column:
            gpu.add(row.cells[name], row.sides, result, row.item.options.tolerances)
    return column


# -- the table --------


def cell_text(result: Result) -> str:
    """One cell: the verdict, the worst difference, the first step that differs."""
    if result.verdict in (NOT_RUN, COMPILES):
        return NOT_REACHED if result.reason.startswith(NOT_REACHED) else result.verdict
    text = MARKS[result.verdict]
    if result.worst is not None:
        text += f" {result.worst:.1e}"
    if result.first_step is not None:
        text += f" @{result.first_step}"
    return text


def text(results: Sequence[Result]) -> str:
    """A table program × device, then the reasons of what did not run or differs."""
    names = list(dict.fromkeys(result.name for result in results))
    devices = list(dict.fromkeys(result.device for result in results))
    cells = {(result.name, result.device): result for result in results}
    table = [["program", *devices]]
    table += [[name, *(cell_text(cells[name, device]) for device in devices)] for name in names]
    widths = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    lines = [
        "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    reasons = [
        f"{result.name} on {result.device}: {result.verdict}: {result.reason}"
        for result in results
        if result.verdict != AGREE
    ]
    return "\n".join([*lines, "", *counts(results), "", *reasons]).rstrip() + "\n"


def exit_code(result: Result) -> int:
    """A matrix fails by what differs or crashed; what could not run is told, and is no failure."""
    return 0 if result.verdict == NOT_RUN else result.exit_code


def counts(results: Sequence[Result]) -> list[str]:
    """One line for each device: how many of each verdict."""
    lines = []
    for device in dict.fromkeys(result.device for result in results):
        own = [result for result in results if result.device == device]
        verdicts = [
            NOT_REACHED if result.reason.startswith(NOT_REACHED) else result.verdict
            for result in own
        ]
        parts = [f"{verdicts.count(word)} {word}" for word in dict.fromkeys(sorted(verdicts))]
        lines.append(f"{device}: {', '.join(parts)} of {len(verdicts)}")
    return lines


def html_table(results: Sequence[Result]) -> str:
    """The table for the HTML report; a click on a cell leads to its section."""
    names = list(dict.fromkeys(result.name for result in results))
    devices = list(dict.fromkeys(result.device for result in results))
    cells = {(result.name, result.device): result for result in results}
    rows = []
    for name in names:
        row = [f"<td>{escape(name)}</td>"]
        for device in devices:
            result = cells.get((name, device))
            if result is None:
                row.append("<td></td>")
                continue
            state = STATES.get(result.verdict, "failed")
            row.append(
                f'<td class="{state}" title="{escape(result.reason)}">'
                f'<a href="#{anchor(result)}">{escape(cell_text(result))}</a></td>'
            )
        rows.append(f"<tr>{''.join(row)}</tr>")
    head = "".join(f"<th>{escape(device)}</th>" for device in devices)
    total = "".join(f"<li>{escape(line)}</li>" for line in counts(results))
    return f"<table><tr><th>program</th>{head}</tr>{''.join(rows)}</table><ul>{total}</ul>"


def anchor(result: Result) -> str:
    """The id of a result's section."""
    kept = (letter if letter.isalnum() else "-" for letter in f"{result.name}-{result.device}")
    return "".join(kept)
