"""Programs by seeds, whose upgraded form must print what the original prints on TF 1.15.5."""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "made_up_programs.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("made_up_programs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("maker", ["Maker", "Updates", "Runs", "Nets"])
def test_a_seed_is_one_program(maker: str) -> None:
    make = getattr(script(), maker)
    made = [make(seed).program() for seed in (*range(40), *range(40))]
    assert made[:40] == made[40:]
    assert len(set(made)) == 40
    for program in made[:40]:
        ast.parse(program)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("loss 0.50000\n[1, 2]\n", True),
        ("loss 0.50001\n[1, 2]\n", True),
        ("loss 0.51\n[1, 2]\n", False),
        ("loss 0.5\n[1, 3]\n", False),
        ("loss 0.5\n[1, 2, 3]\n", False),
        ("cost 0.5\n[1, 2]\n", False),
        ("loss nan\n[1, 2]\n", False),
    ],
)
def test_numbers_may_differ_by_rounding(other: str, same: bool) -> None:
    assert script().same("loss 0.5\n[1, 2]\n", other) is same


@pytest.mark.tf1
@pytest.mark.parametrize("kind", [(), ("--updates",), ("--runs",), ("--layers",)])
def test_upgraded_programs_print_the_same_numbers(kind: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--first", "26", "--count", "12", *kind],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(line.split(None, 1)[::-1] for line in done.stdout.splitlines())
    assert int(told["native, same"]) >= 6
