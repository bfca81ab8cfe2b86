"""The fixture programs: what TF 1.15.5 printed, they print on TF 2.21 after `migrate upgrade`."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import forked
import pytest

ROOT = Path(__file__).resolve().parent.parent


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


goldens = _load(ROOT / "scripts" / "record_goldens.py")
PROGRAMS: Path = goldens.PROGRAMS
NAMES: list[str] = goldens.names()
#: Code for compat.v1 that runs on TF 2.21: nothing is to do there at the compat level.
UNTOUCHED = {"already_v1"}

needs_tf2 = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow 2.21 is not installed"
)
needs_tf1 = pytest.mark.skipif(
    goldens.tf1_python() is None, reason="no TensorFlow 1.15.5: set MIGRATE_TF1_PYTHON"
)


def golden(name: str) -> list[str]:
    stdout: list[str] = json.loads((PROGRAMS / name / "golden.json").read_text("utf-8"))["stdout"]
    return stdout


def upgrade(name: str, tmp_path: Path, *more: str) -> Path:
    """Upgrade a copy of the program with the command a user types; where the result lies."""
    source, out = tmp_path / "program", tmp_path / "upgraded"
    goldens.copy_program(PROGRAMS / name, source)
    before = {p: p.read_bytes() for p in source.rglob("*") if p.is_file()}
    options = [*goldens.upgrade_options(PROGRAMS / name), *more]
    command = [sys.executable, "-m", "migrate", "upgrade", "--out", str(out), *options, str(source)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert {p: p.read_bytes() for p in before} == before, "--out changed the original"
    return out


def run(python: str, script: Path) -> Any:
    """`goldens.run` without the seconds of TensorFlow's import."""
    arguments, script = goldens.arguments(script), goldens.as_script(script)
    return goldens.Ran(*forked.run(python, script, arguments, goldens.QUIET, goldens.TIMEOUT))


@pytest.mark.tf2
@needs_tf2
@pytest.mark.parametrize("name", NAMES)
def test_the_upgraded_program_prints_what_it_printed(name: str, tmp_path: Path) -> None:
    out = upgrade(name, tmp_path)
    script = out / ("before.ipynb" if (PROGRAMS / name / "before.ipynb").exists() else "before.py")
    ran = run(sys.executable, script)
    assert ran.status == 0, f"{ran.stderr[-3000:]}\n--- upgraded ---\n{script.read_text('utf-8')}"
    assert goldens.compare(golden(name), ran.stdout) == []


@pytest.mark.parametrize("name", sorted(UNTOUCHED))
def test_compat_leaves_alone_what_runs_already(name: str, tmp_path: Path) -> None:
    out = upgrade(name, tmp_path, "--level", "compat")
    for path in out.rglob("*.py"):
        assert path.read_bytes() == (PROGRAMS / name / path.relative_to(out)).read_bytes()


@pytest.mark.tf1
@pytest.mark.slow
@needs_tf1
@pytest.mark.parametrize("name", NAMES)
def test_the_golden_output_is_what_tf_1_15_prints_today(name: str) -> None:
    ran = goldens.run_original(name, goldens.tf1_python(), run)
    assert ran.status == 0, ran.stderr[-3000:]
    assert goldens.compare(golden(name), ran.stdout) == []


def test_every_program_has_its_golden_output() -> None:
    assert [name for name in NAMES if not (PROGRAMS / name / "golden.json").exists()] == []
    assert len(NAMES) >= 18


SAME = [
    ("loss 0.123456", "loss 0.123457"),
    ("[ 1.  2.]", "[1. 2.]"),
    ("[1.\n 2.]", "[1. 2.]"),
    ("nan", "nan"),
    ("step 3: 1e-3", "step 3: 0.001"),
    ("-0.0000000", "0.0000000"),
]
DIFFERENT = [
    ("loss 0.12345", "loss 0.12355"),
    ("loss 1.0", "cost 1.0"),
    ("step 3", "step 4"),
    ("1000000", "1000001"),  # integers have no tolerance
    ("nan", "1.0"),
    ("1.0", "nan"),
    ("[1. 2.]", "[1. 2. 3.]"),
    ("a b", "a"),
    ("-1.0", "1.0"),
]


@pytest.mark.parametrize(("expected", "actual"), SAME)
def test_compare_lets_white_space_and_rounding_pass(expected: str, actual: str) -> None:
    assert goldens.compare(expected.splitlines(), actual.splitlines()) == []


@pytest.mark.parametrize(("expected", "actual"), DIFFERENT)
def test_compare_names_the_first_difference(expected: str, actual: str) -> None:
    found = goldens.compare(expected.splitlines(), actual.splitlines())
    assert found
    assert found[0].startswith("line 1: ")
