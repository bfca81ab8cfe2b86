"""Record the programs of fixtures/native on the real TensorFlow 1.15.5, under the parity recorder.

    python scripts/record_native_goldens.py [NAME ...]           write fixtures/native/NAME/golden
    python scripts/record_native_goldens.py --missing            only those that have none
    python scripts/record_native_goldens.py --check [NAME ...]   record afresh, compare
    python scripts/record_native_goldens.py --snapshots          write every after.py anew
    python scripts/record_native_goldens.py --snapshots NAME ... also for what was pending so far

A golden bundle holds what the program printed, every fetched scalar, the variables at the start,
after the first steps and at the end, the first gradients, the files that it wrote, and how far
each of these moves when the initial weights change by one ulp (docs/parity.md). What a verification
without TensorFlow 1 doesn't read, the original's graph and its feeds, is left out.

The interpreter (a Python 3.7 with TensorFlow 1.15.5) comes from --tf1-python or MIGRATE_TF1_PYTHON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from migrate.parity import bundle, compare, envelope
from migrate.parity.bundle import Bundle
from migrate.parity.environment import find_tf1
from migrate.parity.harness import Harness, Options, Program
from migrate.parity.isolation import Limits
from migrate.parity.tolerances import Tolerances

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "fixtures" / "native"
NOT_THE_PROGRAM = ("golden", "restored", "case.toml", "names.json", "after*", "__pycache__")
LEVELS = ("native", "compat")
#: What `migrate upgrade` is told besides.
TARGET: tuple[str, ...] = ()
KEYS = {"covers", "shape", "level", "pending", "stops", "rtol", "reason", "ignore", "larger"}
KEYS |= {"programs", "printed"}
#: What only the third witness reads.
LEFT_OUT = ("original/",)


@dataclass(frozen=True)
class Case:
    """One folder of fixtures/native, as its case.toml describes it.

    ``level`` is what `migrate upgrade` has to reach; ``pending`` says that it doesn't yet.
    ``stops`` is a piece of the line that keeps a program at compat. ``rtol`` widens the tolerance
    of the free run and of printed numbers, for a measured ``reason``. ``larger`` holds pairs of a
    piece of before.py and what stands there at the sizes of public code: for the benchmark.
    ``programs`` are other entries in the folder, which have to reach the same level. ``printed``:
    only what they print is compared: several models are made, one after the other, or a gradient
    is computed that trains nothing, which the recorder takes for a training.
    """

    name: str
    folder: Path
    covers: tuple[str, ...]
    shape: str
    level: str
    pending: bool = False
    stops: str = ""
    rtol: float | None = None
    reason: str = ""
    ignore: tuple[str, ...] = ()
    larger: tuple[tuple[str, str], ...] = ()
    programs: tuple[str, ...] = ()
    printed: bool = False

    @property
    def golden(self) -> Path:
        """The folder of what TF 1.15.5 did."""
        return self.folder / "golden"

    @property
    def verified(self) -> Path:
        """Where scripts/verify_native_goldens.py keeps that the numbers agreed."""
        return self.folder / "after.verified"

    @property
    def entry(self) -> str:
        """The file that is run: before.py, or the notebook."""
        return "before.ipynb" if (self.folder / "before.ipynb").exists() else "before.py"

    def options(self) -> Options:
        """How it is run and judged: no lock-step, since the free run agrees or the case fails."""
        base = Options(
            windows=0,
            witness=False,
            lock_step=False,
            ignore=self.ignore,
            limits=Limits(120.0),
        )
        return replace(base, tolerances=base.tolerances.with_rtol(self.rtol))


def read_case(folder: Path) -> Case:
    """The case of a folder; raises ValueError where its case.toml says something else."""
    with (folder / "case.toml").open("rb") as stream:
        found: dict[str, Any] = tomllib.load(stream)
    unknown = set(found) - KEYS
    if unknown or found.get("level") not in LEVELS or not found.get("covers"):
        raise ValueError(f"{folder / 'case.toml'}: {sorted(unknown) or found}")
    if ("rtol" in found) != ("reason" in found):
        raise ValueError(f"{folder / 'case.toml'}: a tolerance needs a reason, and only that")
    if (found["level"] == "compat") != ("stops" in found):
        raise ValueError(f"{folder / 'case.toml'}: compat needs the line that stops it")
    found["covers"], found["ignore"] = tuple(found["covers"]), tuple(found.get("ignore", ()))
    found["programs"] = tuple(found.get("programs", ()))
    found["larger"] = tuple((old, new) for old, new in found.get("larger", ()))
    return Case(folder.name, folder, **found)


def cases() -> list[Case]:
    """All cases, by name."""
    return [read_case(path.parent) for path in sorted(NATIVE.glob("*/case.toml"))]


def copy_program(case: Case, to: Path) -> None:
    """What a user would have, and nothing else."""
    shutil.copytree(
        case.folder, to, ignore=shutil.ignore_patterns(*NOT_THE_PROGRAM), dirs_exist_ok=True
    )


def script(folder: Path, entry: str) -> Path:
    """The script to run; a notebook's cells become one."""
    path = folder / entry
    if path.suffix != ".ipynb":
        return path
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    plain = [line for text in code for line in text.splitlines() if not line.startswith(("%", "!"))]
    written = path.with_name(f"{path.stem}_cells.py")
    written.write_text("\n".join(plain) + "\n", encoding="utf-8")
    return written


@dataclass(frozen=True)
class Upgraded:
    """What `migrate upgrade` made of a case; ``reasons`` are pairs of a line and what it says."""

    case: Case
    folder: Path
    level: str
    reasons: tuple[tuple[str, str], ...]

    def files(self) -> Iterable[tuple[Path, Path]]:
        """The program's files: where each lies, and where its snapshot belongs."""
        for path in sorted(self.folder.rglob("*")):
            if path.name.endswith("_cells.py"):
                continue  # what `script` wrote of a notebook that was run
            if path.suffix in (".py", ".ipynb"):
                inner = path.relative_to(self.folder)
                entry = str(inner) == self.case.entry
                kept = f"after{path.suffix}" if entry else Path("after") / inner
                yield path, self.case.folder / kept


def enlarge(case: Case, folder: Path) -> None:
    """Bring a copy of a case to the sizes of public code; raises ValueError on a stale piece."""
    path = folder / case.entry
    text = path.read_text(encoding="utf-8")
    for old, new in case.larger:
        if old not in text:
            raise ValueError(f"{case.name}: no {old!r} in {case.entry}")
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def upgrade(
    chosen: Iterable[Case],
    work: Path,
    *,
    larger: bool = False,
    prepare: Callable[[Path], None] | None = None,
) -> dict[str, Upgraded]:
    """Upgrade copies of the cases, all in one run of the command that a user types.

    ``prepare`` changes a copy's script first.
    """
    source, out = work / "before", work / "after"
    wanted = {case.name: case for case in chosen}
    for case in wanted.values():
        copy_program(case, source / case.name)
        if larger:
            enlarge(case, source / case.name)
        if prepare is not None:
            prepare(source / case.name / case.entry)
    _migrate(source, "upgrade", *TARGET, "--out", str(out), ".")
    for data in source.glob("*/*.pb"):  # what programs read: `--out` only writes programs
        shutil.copy(data, out / data.parent.name)
    explain = ("upgrade", *TARGET, "--explain-level", "--format", "json", ".")
    explained = json.loads(_migrate(source, *explain))
    found: dict[str, Upgraded] = {}
    for program in explained:
        name, _, entry = program["files"][0].partition("/")
        case = wanted[name]
        own = [file.partition("/")[2] for file in program["files"]]
        if case.entry not in own:
            if not set(own) & set(case.programs):
                raise ValueError(f"{name}: {entry} is a program of its own")
            if program["level"] != case.level and not case.pending:
                raise ValueError(f"{name}: {entry} is {program['level']}")
            continue
        reasons = tuple(
            (_line(source / reason["path"], reason["line"], reason["cell"]), reason["message"])
            for reason in program["reasons"]
        )
        found[name] = Upgraded(case, out / name, program["level"], reasons)
    return found


def _migrate(where: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "migrate", *arguments],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout + done.stderr)
    return done.stdout


def _line(path: Path, number: int, cell: int | None) -> str:
    text = path.read_text(encoding="utf-8")
    if cell is not None:
        text = "".join(json.loads(text)["cells"][cell - 1]["source"])
    return text.splitlines()[number - 1].strip()


def snapshot(done: Upgraded) -> None:
    """Keep what came out as what has to come out."""
    shutil.rmtree(done.case.folder / "after", ignore_errors=True)
    for path, kept in done.files():
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, kept)


def record(case: Case, harness: Harness, work: Path, envelope_runs: int = 5) -> Bundle:
    """Run a case on TensorFlow 1.15.5; raises RuntimeError if it fails."""
    folder = work / case.name
    copy_program(case, folder)
    harness.options = replace(case.options(), envelope_runs=envelope_runs)
    found = harness.record(Program(str(script(folder, case.entry))))
    if found.ending.get("code"):
        raise RuntimeError(found.ending.get("traceback") or str(found.ending))
    # Without a training step there is no moment that both sides call the start.
    left_out = LEFT_OUT if found.steps else (*LEFT_OUT, "v/0/", "envelope/v/0/")
    for key in [key for key in found.arrays if key.startswith(left_out)]:
        del found.arrays[key]
    for key in ("original", "seconds"):
        found.record.pop(key, None)
    return found


def differences(golden: Bundle, found: Bundle) -> list[str]:
    """Where a fresh record departs from the golden one: in nothing, on one machine.

    Another machine's kernels may add up in another order: what they move stays within 1e-5, or
    within some times what changes of one ulp at the start move (the bundle's envelope).
    """
    import numpy as np

    rates = Tolerances()
    moved = rates.envelope_factor * golden.arrays.get(envelope.PREFIX + "printed", np.zeros(0))
    printed = compare.texts(
        "printed text", golden.stdout, found.stdout, rates.printed, moved.tolist()
    )
    said = [str(printed.difference)] if printed.difference is not None else []
    if golden.steps != found.steps:
        said.append(f"{golden.steps} steps became {found.steps}")
    for label in ("0", "end") if golden.steps else ("end",):
        before, now = golden.snapshot(label), found.snapshot(label)
        if before.keys() != now.keys():
            said.append(f"variables {sorted(before.keys() ^ now.keys())} at {label}")
            continue
        for name, value in before.items():
            other = now[name]
            if value.dtype.kind != "f" or value.shape != other.shape:
                if not np.array_equal(value, other):
                    said.append(f"{name} at {label}")
                continue
            _, most = envelope.pair_of(golden, f"v/{label}/{name}")
            allowed = max(1e-5 * np.abs(value).max(initial=0.0), rates.envelope_factor * most)
            if not np.allclose(value, other, rtol=0.0, atol=allowed, equal_nan=True):
                said.append(f"{name} at {label}")
    return said


def _snapshots(chosen: list[Case]) -> int:
    """Write after.py; 1 where a program isn't native. The tests judge its numbers."""
    missed = 0
    with tempfile.TemporaryDirectory(prefix="native-") as work:
        for name, done in upgrade(chosen, Path(work)).items():
            print(f"{name}: {done.level}")
            if done.level != "native":
                missed += 1
                continue
            snapshot(done)
            described = done.case.folder / "case.toml"
            text = described.read_text(encoding="utf-8")
            described.write_text(text.replace("pending = true\n", ""), encoding="utf-8")
    return 1 if missed else 0


def main(argv: list[str] | None = None) -> int:
    """Record or check; 1 where a program failed or differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--missing", action="store_true", help="only what has no golden bundle")
    parser.add_argument("--snapshots", action="store_true", help="write after.py, run nothing")
    parser.add_argument("--tf1-python", metavar="PYTHON")
    options = parser.parse_args(argv)
    known = {case.name: case for case in cases()}
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no case {', '.join(unknown)} in {NATIVE}")
    chosen = [known[name] for name in options.names] or list(known.values())
    if options.snapshots:
        native = [case for case in chosen if case.level == "native"]
        return _snapshots([case for case in native if options.names or not case.pending])
    if options.missing:
        chosen = [case for case in chosen if not (case.golden / bundle.RECORD).exists()]
    tf1 = find_tf1(options.tf1_python)
    if tf1 is None or tf1.tensorflow != "1.15.5":
        parser.error("no Python with TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON")
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="native-") as work,
        Harness(Options(), tf1=tf1.path) as harness,
    ):
        for case in chosen:
            try:
                found = record(case, harness, Path(work))
            except RuntimeError as error:
                failed += 1
                print(f"{case.name}: {error}", flush=True)
                continue
            if options.check:
                said = differences(bundle.read(case.golden), found)
                failed += bool(said)
                print(f"{case.name}: {'; '.join(said) or 'as recorded'}", flush=True)
                continue
            bundle.write(found, case.golden)
            size = sum(path.stat().st_size for path in case.golden.iterdir())
            print(f"{case.name}: {found.steps} steps, {size / 1024:.0f} KiB", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
