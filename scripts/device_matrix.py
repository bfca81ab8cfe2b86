"""The fixture programs on every device: `migrate parity matrix` over all of them.

    python scripts/device_matrix.py [NAME ...] --work DIR --report FILE.json [--report FILE.html]
    python scripts/device_matrix.py --join --work DIR [--and DIR2 ...] --page FILE.md

Programs of fixtures/native, fixtures/keras and fixtures/programs (what `migrate upgrade` makes of
them), those of fixtures/keras_backends and the pairs of fixtures/parity that have to agree; NAME is
`native/vae`, or `native/`, or `vae`. What TensorFlow 1.15.5 printed and computed comes from the
recorded bundles, of fixtures/programs from runs now; the original's graph from a run on it, so a
Python with 1.15.5 is needed.

Programs run some at a time; each one's result is kept in DIR/results as soon as it is known, and
what lies there isn't run again: a run that was ended goes on where it stood. Options are those of
`migrate parity matrix`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from migrate.parity import bundle, report
from migrate.parity.compare import Difference
from migrate.parity.config import Comparison
from migrate.parity.devices import matrix
from migrate.parity.devices.command import compare, say
from migrate.parity.environment import find_tf1, find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.isolation import Limits
from migrate.parity.verdict import FAILED, NOT_RUN, PASSED, Result, Rung

ROOT = Path(__file__).resolve().parent.parent
INDEX = "parity-devices.md"
ENVELOPE_RUNS = 3  # of fixtures/programs, that have no bundle


def load(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


class Fixtures:
    """The programs by name, and what has to be made of one before it can be compared."""

    def __init__(self, work: Path, devices: tuple[str, ...], seconds: float) -> None:
        self.work = work
        self.devices = devices
        self.seconds = seconds
        self.recorders = {
            "native": load(ROOT / "scripts" / "record_native_goldens.py"),
            "keras": load(ROOT / "scripts" / "record_keras_goldens.py").goldens,
        }
        self.programs = load(ROOT / "scripts" / "record_goldens.py")
        self.backends = load(ROOT / "fixtures/keras_backends/record.py")
        self.pairs = {item.name: item for item in load(ROOT / "fixtures/parity/record.py").pairs()}

    def names(self, wanted: list[str]) -> list[str]:
        """All programs, or those that are asked for."""
        found = [f"{kind}/{case.name}" for kind, recorder in self.recorders.items()
                 for case in recorder.cases()]  # fmt: skip
        found += [f"programs/{name}" for name in self.programs.names()]
        found += [f"parity/{name}" for name, pair in self.pairs.items() if pair.expect == "agree"]
        found += [f"keras_backends/{name}" for name in self.backends.programs()]
        if not wanted:
            return found
        return [
            name for name in found
            if any(name == word or name.endswith(f"/{word}") or
                   (word.endswith("/") and name.startswith(word)) for word in wanted)
        ]  # fmt: skip

    def comparisons(self, names: list[str]) -> Iterator[Comparison]:
        """Upgrade some programs: each with both sides, its options and its recorded bundle."""
        for kind, recorder in self.recorders.items():
            own = [case for case in recorder.cases() if f"{kind}/{case.name}" in names]
            if not own:
                continue
            place = self.work / "upgraded" / kind
            shutil.rmtree(place, ignore_errors=True)
            for done in recorder.upgrade(own, place).values():
                case, folder = done.case, self.work / "originals" / kind / done.case.name
                recorder.copy_program(case, folder)
                before = Program(str(recorder.script(folder, case.entry)))
                after = Program(str(recorder.script(done.folder, case.entry)))
                golden = case.golden if case.golden.is_dir() else None  # kept at compat
                options = replace(case.options(), printed=case.printed)
                yield self._of(f"{kind}/{case.name}", before, after, options, golden)
        for name in names:
            kind, _, own_name = name.partition("/")
            if kind == "parity":
                pair = self.pairs[own_name]
                yield self._of(name, pair.before, pair.after, Options(windows=0), pair.golden)
            elif kind == "keras_backends":
                program = self.backends.programs()[own_name]  # one file for both sides
                golden = self.backends.ROOT / "golden" / own_name
                yield self._of(name, program, program, self.backends.OPTIONS, golden)
            elif kind == "programs":
                yield self._program(name, own_name)

    def _of(
        self, name: str, before: Program, after: Program, options: Options, golden: Path | None
    ) -> Comparison:
        options = replace(
            options, witness=False, lock_step=False, limits=Limits(self.seconds),
            envelope_runs=ENVELOPE_RUNS,
        )  # fmt: skip
        return Comparison(name, before, after, options, self.devices, golden)

    def _program(self, name: str, own_name: str) -> Comparison:
        """One of fixtures/programs, upgraded with the options that stand in it."""
        folder = self.programs.PROGRAMS / own_name
        source, out = self.work / "originals" / name, self.work / "upgraded" / name
        shutil.rmtree(out, ignore_errors=True)
        self.programs.copy_program(folder, source)
        options = self.programs.upgrade_options(folder)
        done = subprocess.run(
            [sys.executable, "-m", "migrate", "upgrade", *options, "--out", str(out), str(source)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode not in (0, 1):
            raise ParityError(f"migrate upgrade failed on {name}: {done.stderr[-300:]}")
        original = self.programs.original(folder)
        if original.name == "before_py3.py":
            shutil.copy2(original, source / original.name)
        arguments = tuple(self.programs.arguments(original))
        entry = "before.ipynb" if original.suffix == ".ipynb" else "before.py"
        return self._of(
            name,
            Program(str(self._script(source / original.name)), arguments),
            Program(str(self._script(out / entry)), arguments),
            Options(windows=0),
            None,
        )

    def _script(self, path: Path) -> Path:
        """A script; a notebook's cells become one, without magics and lines of the shell."""
        if path.suffix != ".ipynb":
            return path
        cells = path.with_name(f"{path.stem}_cells.py")
        cells.write_text(self.programs.notebook_source(path), encoding="utf-8")
        return cells


def golden_of(item: Comparison, harness: Harness) -> bundle.Bundle:
    """The recorded bundle, or what TensorFlow 1.15.5 does now."""
    if item.golden is not None:
        return bundle.read(item.golden)
    assert item.before is not None
    found = harness.record(item.before)
    if found.ending.get("code"):
        raise ParityError(f"the original fails on 1.15.5: {found.ending.get('error')}")
    return found


def kept(work: Path, name: str) -> Path:
    """Where a program's result lies."""
    return work / "results" / f"{name.replace('/', '-')}.json"


def state() -> str:
    """The commit that is checked out, and whether it was changed."""
    return subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    ).stdout.strip()  # fmt: skip


def run(fixtures: Fixtures, names: list[str], given: dict[str, Any], end: float | None) -> None:
    """Run what has no result yet, some programs at a time."""
    tf1, tf2, code = find_tf1(), find_tf2(), state()
    while waiting := [name for name in names if not kept(given["work"], name).is_file()]:
        chunk = waiting[: given["chunk"]]
        if end is not None and time.monotonic() > end:
            say(f"time is up: {len(waiting)} of {len(names)} programs not reached")
            return
        say(f"== {time.strftime('%H:%M:%S')}: {len(waiting)} of {len(names)} left")
        items = list(fixtures.comparisons(chunk))
        results = compare(items, given, golden_of, tf1, tf2)
        for name in chunk:
            own = [result for result in results if result.name == name]
            report.write(own, kept(given["work"], name))
            kept(given["work"], name).with_suffix(".state").write_text(code, encoding="utf-8")


def joined(
    works: list[Path], names: list[str], devices: tuple[str, ...], page: Path | None = None
) -> tuple[list[Result], dict[str, str]]:
    """All results that are known, and the state of the code that each program was run on.

    What the runs have not reached comes from the page as it was; what isn't there either was not
    reached, which is no agreement.
    """
    found, states = [], {}
    before = _of_page(page)
    for name in names:
        paths = [kept(work, name) for work in works]
        path = next((item for item in paths if item.is_file()), None)
        own = {item.device: item for item in report.read(path)} if path else {}
        if path:
            states[name] = path.with_suffix(".state").read_text(encoding="utf-8")
        for device in devices:
            missing = Result(name, "", "", device, NOT_RUN, NEVER)
            known, state = before.get((name, device), (missing, ""))
            if path is None and state:
                states[name] = state
            found.append(own.get(device, missing if path else known))
    return found, states


EARLIER = "earlier states"
MARKS = ("", *"¹²³⁴⁵⁶⁷⁸⁹", *(f"¹{digit}" for digit in "⁰¹²³⁴⁵⁶⁷⁸⁹"))
NEVER = f"{matrix.NOT_REACHED}: the run's time was up"


def _of_page(page: Path | None) -> dict[tuple[str, str], tuple[Result, str]]:
    """Cells of a page that was written before and their states, but for those not reached."""
    path = None if page is None else page.with_suffix(".json")
    if path is None or not path.is_file():
        return {}
    found = {}
    for cell in json.loads(path.read_text(encoding="utf-8")):
        if not cell["reason"].startswith(matrix.NOT_REACHED):
            result = Result(cell["name"], "", "", cell["device"], cell["verdict"], cell["reason"])
            if cell["worst"] is not None:
                result.rungs = [Rung("worst", PASSED, worst=float(cell["worst"]))]
            if cell["first step"] is not None:
                difference = Difference("", "", step=cell["first step"])
                result.rungs = [Rung("worst", FAILED, worst=None, difference=difference)]
            found[cell["name"], cell["device"]] = (result, cell["state"])
    return found


#: Folders of the machine that ran it, which a page doesn't name.
PATHS = re.compile(r"(?<![\w./-])/?(?:home|root|tmp|work)/[\w./-]+")


def _named(text: str) -> str:
    return PATHS.sub(lambda m: Path(m[0]).name, text)


RUNG = re.compile(r"([ABC]) (\d thr, oneDNN \w+)")


def cpu_rungs(results: list[Result]) -> list[str]:
    """Rungs A, B and C of all programs: how many of each status, and the largest difference."""
    counted: dict[str, list[Rung]] = {}
    for item in results:
        for rung in item.rungs:
            if item.device == "cpu" and RUNG.fullmatch(rung.name):
                counted.setdefault(rung.name, []).append(rung)
    lines = ["| rung | passed | equal in every bit | differ | not run | worst |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for name, rungs in sorted(counted.items()):
        passed = [rung for rung in rungs if rung.status == PASSED]
        same = sum("equal in every bit" in rung.notes for rung in passed)
        differ = sum(rung.status == FAILED for rung in rungs)
        worst = max((rung.worst for rung in passed if rung.worst is not None), default=0.0)
        idle = len(rungs) - len(passed) - differ
        lines.append(f"| {name} | {len(passed)} | {same} | {differ} | {idle} | {worst:.1e} |")
    reasons: dict[str, int] = {}
    for rung in (rung for rungs in counted.values() for rung in rungs if rung.status == NOT_RUN):
        reason = _named(rung.reason)
        reasons[reason] = reasons.get(reason, 0) + 1
    lines += ["", "Not run: " + "; ".join(
        f"{count} × {reason}" for reason, count in sorted(reasons.items(), key=lambda x: -x[1])
    ) + "."]  # fmt: skip
    return lines if counted else []


def why_not(results: list[Result]) -> list[str]:
    """Reasons of what was not run, by how many cells they keep."""
    counted: dict[tuple[str, str], int] = {}
    for item in results:
        if item.verdict == NOT_RUN and item.device in ("cpu", "xla"):
            key = (item.device, _kind(item.reason))
            counted[key] = counted.get(key, 0) + 1
    ranked = sorted(counted.items(), key=lambda entry: (entry[0][0], -entry[1], entry[0][1]))
    return [f"- {device}: {count} × {reason}" for (device, reason), count in ranked]


def _kind(reason: str) -> str:
    """A reason without its program's own names."""
    text = re.sub(r"^\w+ \([\w.]+:\d+\): ", "", reason)
    text = re.sub(r" \([\w.]+:\d+: `.*", "", text, flags=re.S)
    text = re.sub(r"\b(Input \d+ to node )`\S+`", r"\1", text)
    return text.partition(". ")[0].partition(": put its")[0][:140]


def pages(results: list[Result], path: Path, states: dict[str, str]) -> None:
    """A table for readers (.md), the same as data (.json), and with what failed (.html)."""
    results = [
        replace(
            item,
            reason=_named(item.reason),
            rungs=[replace(rung, reason=_named(rung.reason)) for rung in item.rungs],
        )
        for item in results
    ]
    devices = list(dict.fromkeys(item.device for item in results))
    cells = {(item.name, item.device): item for item in results}
    lines = [
        "# Matrix of the fixture programs", "",
        f"Written by `scripts/device_matrix.py --page`; what it means: [{INDEX}]({INDEX}).", "",
        *(f"- {line}" for line in matrix.counts(results)), "",
        *states_of(states, len(dict.fromkeys(item.name for item in results))), "",
        "## Not run, by reason", "", *why_not(results), "",
        "## cpu: rungs A, B and C", "", *cpu_rungs(results), "",
        "## Programs", "",
        f"| program | {' | '.join(devices)} |", f"|---|{'---|' * len(devices)}",
    ]  # fmt: skip
    marks = dict(zip(ranked(states), MARKS, strict=False))
    for name in dict.fromkeys(item.name for item in results):
        row = " | ".join(matrix.cell_text(cells[name, device]) for device in devices)
        mark = marks.get(states.get(name, ""), "")
        lines.append(f"| {name} {mark}".rstrip() + f" | {row} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = [
        {"name": item.name, "device": item.device, "verdict": item.verdict, "worst": item.worst,
         "first step": item.first_step, "reason": item.reason[:400],
         "state": states.get(item.name, "")}
        for item in results
    ]  # fmt: skip
    text = ",\n".join(json.dumps(item, allow_nan=True) for item in data)
    path.with_suffix(".json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    short = [replace(item, curves=[], variables=[], before=Path(item.before).name,
                     after=Path(item.after).name,
                     rungs=item.rungs if item.failed else [])
             for item in results if item.reason != matrix.NOT_REACHED]  # fmt: skip
    report.write(short, path.with_suffix(".html"))


def states_of(states: dict[str, str], count: int) -> list[str]:
    """Which state of the code the programs were run on."""
    every = list(states.values())
    lines = []
    for mark, state in zip(MARKS, ranked(states), strict=False):
        what = "as earlier runs left them, on " if state == EARLIER else "run on commit "
        lines.append(f"- {mark or 'without a mark'}: {every.count(state)} of {count} programs, "
                     f"{what}{state}.")  # fmt: skip
    if len(every) < count:
        lines.append(f"- {count - len(every)} programs: not run, for want of time.")
    return lines


def ranked(states: dict[str, str]) -> list[str]:
    """States of the code, in the order of their marks: the most frequent has none."""
    every = list(states.values())
    return sorted(set(every), key=lambda state: (state == EARLIER, -every.count(state)))


def main(argv: list[str] | None = None) -> int:
    """Run, print the table, write reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--devices", default="cpu,xla,gpu,tpu,export,jax,torch")
    parser.add_argument("--tpu", dest="topologies", action="append")
    parser.add_argument("--cpu-settings", dest="settings", default="two")
    parser.add_argument("--no-whole", action="store_true")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--and", dest="more", action="append", type=Path, default=[],
                        help="--join: another run's DIR")  # fmt: skip
    parser.add_argument("--report", action="append", type=Path, default=[])
    parser.add_argument("--results", dest="device_results", action="append", type=Path)
    parser.add_argument("--chunk", type=int, default=8, help="programs at a time")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one run")
    parser.add_argument("--time-limit", dest="limit", type=float, help="seconds for all of it")
    parser.add_argument("--page", type=Path, help="FILE.md, beside it FILE.json and FILE.html")
    parser.add_argument("--join", action="store_true", help="run nothing, join what is known")
    given = parser.parse_args(argv)
    devices = tuple(given.devices.split(","))
    fixtures = Fixtures(given.work, devices, given.timeout)
    names = fixtures.names(given.names)
    if not given.join:
        end = None if given.limit is None else time.monotonic() + given.limit
        run(fixtures, names, vars(given), end)
    results, states = joined([given.work, *given.more], names, devices, given.page)
    for path in given.report:
        report.write(results, path)
    if given.page is not None:
        pages(results, given.page, states)
    print(matrix.text(results))
    return max(matrix.exit_code(result) for result in results)


if __name__ == "__main__":
    sys.exit(main())
