"""The committed dumps are what the two TensorFlows say (scripts/dump_api.py --check)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import migrate.symbols as symbols

ROOT = Path(__file__).parents[2]


def check(python: str) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    ran = subprocess.run(
        [python, "scripts/dump_api.py", "--check"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    assert ran.stdout.count(": same") == 2


@pytest.mark.tf1
def test_dump_of_1_15_5() -> None:
    python = os.environ.get("MIGRATE_TF1_PYTHON", "")
    if not python:
        pytest.skip("MIGRATE_TF1_PYTHON names no Python 3.7 with TensorFlow 1.15.5")
    if shutil.which(python) is None:
        pytest.skip(f"MIGRATE_TF1_PYTHON={python} is not there")
    check(python)


@pytest.mark.tf2
def test_dump_of_2_21() -> None:
    if find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed")
    from importlib.metadata import version

    if not version("tensorflow").startswith("2.21."):
        pytest.skip(f"TensorFlow {version('tensorflow')} is not 2.21")
    check(sys.executable)


@pytest.mark.tf2
def test_dead_targets_of_the_official_script_are_not_ours() -> None:
    """tf_upgrade_v2 renames to names that TF 2.21 with Keras 3 does not have."""
    found = find_spec("tensorflow")
    if found is None or found.origin is None:
        pytest.skip("TensorFlow is not installed")
    table = Path(found.origin).parent / "tools" / "compatibility" / "renames_v2.py"
    if not table.exists():
        pytest.skip("this TensorFlow does not bring its upgrade script")
    scope: dict[str, dict[str, str]] = {}
    exec(compile(table.read_text(), str(table), "exec"), scope)
    dead = {
        "tensorflow" + old[2:]: "tensorflow" + new[2:]
        for old, new in scope["renames"].items()
        if not symbols.resolves("tensorflow" + new[2:])
    }
    assert len(dead) > 20
    for old, new in dead.items():
        record = symbols.outcome(old)
        assert record is None or record.target != new, old
