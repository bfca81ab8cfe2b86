"""The fixture programs on every device: `migrate parity matrix` over all of them.

    python scripts/device_matrix.py [NAME ...] --work DIR --report FILE.json [--report FILE.html]
    python scripts/device_matrix.py --join --work DIR --page docs/parity-devices-matrix.md

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
from migrate.parity.config import Comparison
from migrate.parity.devices import matrix
from migrate.parity.devices.command import compare, say
from migrate.parity.environment import find_tf1, find_tf2
from migrate.parity.errors import ParityError
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.isolation import Limits
from migrate.parity.verdict import NOT_RUN, Result

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
                yield self._of(f"{kind}/{case.name}", before, after, case.options(), golden)
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
        script = self.recorders["native"].script
        entry = "before.ipynb" if original.suffix == ".ipynb" else "before.py"
        return self._of(
            name,
            Program(str(script(source, original.name)), arguments),
            Program(str(script(out, entry)), arguments),
            Options(windows=0),
            None,
        )


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


def joined(work: Path, names: list[str], devices: tuple[str, ...]) -> list[Result]:
    """All results that are known; what has none was not reached, which is no agreement."""
    found = []
    for name in names:
        path = kept(work, name)
        own = {item.device: item for item in report.read(path)} if path.is_file() else {}
        for device in devices:
            missing = Result(name, "", "", device, NOT_RUN, matrix.NOT_REACHED)
            found.append(own.get(device, missing))
    return found


#: Folders of the machine that ran it, which a page doesn't name.
PATHS = re.compile(r"(?<![\w./-])/?(?:home|root|tmp|work)/[\w./-]+")


def pages(results: list[Result], path: Path) -> None:
    """A table for readers (.md), the same as data (.json), and with what failed (.html)."""
    results = [replace(item, reason=PATHS.sub(lambda m: Path(m[0]).name, item.reason))
               for item in results]  # fmt: skip
    devices = list(dict.fromkeys(item.device for item in results))
    cells = {(item.name, item.device): item for item in results}
    lines = [
        "# Matrix of the fixture programs", "",
        f"Written by `scripts/device_matrix.py --page`; what it means: [{INDEX}]({INDEX}).", "",
        *(f"- {line}" for line in matrix.counts(results)), "",
        f"| program | {' | '.join(devices)} |", f"|---|{'---|' * len(devices)}",
    ]  # fmt: skip
    for name in dict.fromkeys(item.name for item in results):
        row = " | ".join(matrix.cell_text(cells[name, device]) for device in devices)
        lines.append(f"| {name} | {row} |")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = [
        {"name": item.name, "device": item.device, "verdict": item.verdict, "worst": item.worst,
         "first step": item.first_step, "reason": item.reason[:400]}
        for item in results
    ]  # fmt: skip
    text = ",\n".join(json.dumps(item, allow_nan=True) for item in data)
    path.with_suffix(".json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    short = [replace(item, curves=[], variables=[], before=Path(item.before).name,
                     after=Path(item.after).name,
                     rungs=item.rungs if item.failed else [])
             for item in results if item.reason != matrix.NOT_REACHED]  # fmt: skip
    report.write(short, path.with_suffix(".html"))


def main(argv: list[str] | None = None) -> int:
    """Run, print the table, write reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--devices", default="cpu,xla,gpu,tpu,export,jax,torch")
    parser.add_argument("--tpu", dest="topologies", action="append")
    parser.add_argument("--cpu-settings", dest="settings", default="two")
    parser.add_argument("--no-whole", action="store_true")
    parser.add_argument("--work", type=Path, required=True)
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
    results = joined(given.work, names, devices)
    for path in given.report:
        report.write(results, path)
    if given.page is not None:
        pages(results, given.page)
    print(matrix.text(results))
    return max(matrix.exit_code(result) for result in results)


if __name__ == "__main__":
    sys.exit(main())
