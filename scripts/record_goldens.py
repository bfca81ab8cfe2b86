"""Record what the fixture programs print on the real TensorFlow 1.15.5.

    python scripts/record_goldens.py [NAME ...]          write fixtures/programs/NAME/golden.json
    python scripts/record_goldens.py --check [NAME ...]  run afresh, compare with what is recorded

The interpreter (a Python 3.7 with TensorFlow 1.15.5) comes from --tf1-python or MIGRATE_TF1_PYTHON.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "fixtures" / "programs"
RTOL, ATOL = 1e-5, 1e-6
TIMEOUT = 120

#: What the recorder and the tests set, so that both sides compute alike.
QUIET = {
    "CUDA_VISIBLE_DEVICES": "",
    "MPLBACKEND": "Agg",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}

# A sign counts only where no word or bracket stands before it: "2017-08" and "x-1" are positive.
NUMBER = re.compile(
    r"(?:(?<![\w.)\]])[-+])?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\b(?:nan|inf)\b)"
)


@dataclass(frozen=True)
class Ran:
    """How one run of a program ended."""

    status: int
    stdout: list[str]
    stderr: str


def names() -> list[str]:
    """The fixture programs, by the name of their folder."""
    return sorted(p.name for p in PROGRAMS.iterdir() if list(p.glob("before.*")))


def original(folder: Path) -> Path:
    """The file that TF 1.15.5 runs: the Python 3 twin where the program is Python 2."""
    for name in ("before_py3.py", "before.py", "before.ipynb"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"no before.py in {folder}")


def arguments(script: Path) -> list[str]:
    """The arguments that a program wants: its line `# run: ARG ...`."""
    found = re.search(r"^# run: (.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    return shlex.split(found[1]) if found else []


def upgrade_options(folder: Path) -> list[str]:
    """What `migrate upgrade` is told for a program: its line `# upgrade: OPTION ...`."""
    text = original(folder).read_text(encoding="utf-8")
    found = re.search(r"^# upgrade: (.*)$", text, re.MULTILINE)
    return shlex.split(found[1]) if found else []


def copy_program(folder: Path, to: Path) -> None:
    """Copy what a user would have: neither the golden output nor the Python 3 twin."""
    skip = shutil.ignore_patterns("golden.json", "before_py3.py", "__pycache__", "after*")
    shutil.copytree(folder, to, ignore=skip, dirs_exist_ok=True)


def notebook_source(path: Path) -> str:
    """The code cells of a notebook as one script, without magics and shell lines."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    lines = []
    for cell in cells:
        if cell["cell_type"] == "code":
            text = "".join(cell["source"])
            if not text.startswith("%%"):
                lines += [x for x in text.splitlines() if not x.lstrip().startswith(("%", "!"))]
    return "\n".join(lines) + "\n"


def as_script(path: Path) -> Path:
    """A script as it is; a notebook's cells, as one beside it."""
    if path.suffix != ".ipynb":
        return path
    script = path.with_name(path.stem + "_cells.py")
    script.write_text(notebook_source(path), encoding="utf-8")
    return script


def run(python: str, script: Path, timeout: float = TIMEOUT) -> Ran:
    """Run a script (or a notebook's cells) where it lies."""
    args = arguments(script)
    script = as_script(script)
    done = subprocess.run(
        [python, script.name, *args],
        cwd=script.parent,
        env={**os.environ, **QUIET},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    stdout = done.stdout.decode("utf-8", "replace").splitlines()
    return Ran(done.returncode, stdout, done.stderr.decode("utf-8", "replace"))


def tf1_python() -> str | None:
    """A Python 3.7 with TensorFlow 1.15.5, where this machine has one."""
    found = os.environ.get("MIGRATE_TF1_PYTHON")
    return found if found and Path(found).exists() else None


def run_original(name: str, python: str, run: Callable[[str, Path], Ran] = run) -> Ran:
    """Run a program on TF 1.15.5, in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="golden-") as tmp:
        where = Path(tmp) / name
        copy_program(PROGRAMS / name, where)
        script = original(PROGRAMS / name)
        shutil.copy(script, where)
        return run(python, where / script.name)


def compare(expected: list[str], actual: list[str]) -> list[str]:
    """What differs: text must be equal but for white space, numbers within the tolerance."""
    want, got = _pieces(expected), _pieces(actual)
    found = []
    for (line, one), (_, other) in zip(want, got, strict=False):
        if not _same(one, other):
            found.append(f"line {line}: expected {one!r}, got {other!r}")
            if NUMBER.fullmatch(one) is None:
                break  # from here on the pieces no longer stand side by side
    if not found and len(want) != len(got):
        line = (want if len(want) > len(got) else got)[min(len(want), len(got))][0]
        found.append(f"line {line}: expected {len(want)} pieces, got {len(got)}")
    return found


def _pieces(lines: list[str]) -> list[tuple[int, str]]:
    """Numbers and the text between them, in order, each with its line."""
    pieces: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        at = 0
        for match in NUMBER.finditer(line):
            pieces += _words(number, line[at : match.start()])
            pieces.append((number, match[0]))
            at = match.end()
        pieces += _words(number, line[at:])
    return pieces


def _words(number: int, text: str) -> list[tuple[int, str]]:
    # brackets apart, since NumPy pads after and before them
    return [(number, word) for word in re.findall(r"[\[\]]|[^\s\[\]]+", text)]


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    if not (NUMBER.fullmatch(one) and NUMBER.fullmatch(other)):
        return False
    if re.fullmatch(r"[-+]?\d+", one) and re.fullmatch(r"[-+]?\d+", other):
        return int(one) == int(other)
    a, b = float(one), float(other)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=0.0, abs_tol=ATOL + RTOL * abs(a))


def versions(python: str) -> dict[str, str]:
    """What the recording was made with."""
    code = (
        "import json, platform, numpy, tensorflow as tf;"
        "print(json.dumps(dict(python=platform.python_version(), numpy=numpy.__version__,"
        "tensorflow=tf.__version__)))"
    )
    out = subprocess.run(
        [python, "-c", code], env={**os.environ, **QUIET}, capture_output=True, check=True
    ).stdout
    found: dict[str, str] = json.loads(out)
    return found


def main(argv: list[str] | None = None) -> int:
    """Record or check; 1 where a program failed or differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--tf1-python", default=tf1_python(), metavar="PYTHON")
    options = parser.parse_args(argv)
    if not options.tf1_python:
        parser.error("no TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON or give --tf1-python")
    found = versions(options.tf1_python)
    if found["tensorflow"] != "1.15.5":
        parser.error(f"{options.tf1_python} has TensorFlow {found['tensorflow']}, not 1.15.5")

    failed = 0
    for name in options.names or names():
        ran = run_original(name, options.tf1_python)
        path = PROGRAMS / name / "golden.json"
        if ran.status != 0 or not ran.stdout:
            failed += 1
            print(f"{name}: exit status {ran.status}\n{ran.stderr[-3000:]}")
        elif options.check:
            golden = json.loads(path.read_text(encoding="utf-8"))
            differences = compare(golden["stdout"], ran.stdout)
            failed += bool(differences)
            print(f"{name}: {'; '.join(differences) or 'as recorded'}")
        else:
            golden = {
                "recorded_by": "scripts/record_goldens.py",
                "program": original(PROGRAMS / name).name,
                "versions": found,
                "status": ran.status,
                "stdout": ran.stdout,
            }
            path.write_text(
                json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
            print(f"{name}: {len(ran.stdout)} lines")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
