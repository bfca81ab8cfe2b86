"""Canned Estimators: what TF 1.15.5 trained the shim evaluates alike and trains on, and back."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import HERE

#: Each 1.15.5 trains twice: CI has time for these, MIGRATE_ALL_GOLDENS=1 asks for all.
NAMES = (
    () if os.environ.get("MIGRATE_ALL_GOLDENS")
    else ("combined", "trees")
)  # fmt: skip


def evaluated(python: str, folder: Path, steps: int) -> dict[str, list[dict[str, float]]]:
    command = [python, str(HERE / "canned_models.py"), str(folder / "models"), str(steps), *NAMES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: Any = json.loads(done.stdout.rpartition("RESULT")[2])
    return found


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.slow
def test_both_ways(tf1_python: str, tf2_python: str, tmp_path: Path) -> None:
    turns = [evaluated(python, tmp_path, 12) for python in (tf1_python, tf2_python, tf1_python)]
    for before, after in itertools.pairwise(turns):
        assert not set(NAMES) - set(after)
        for name, values in after.items():
            expected = before[name][-1]
            assert values[0] == pytest.approx(expected, rel=2e-5, abs=1e-5), name
            assert values[0]["global_step"] + 12 == values[1]["global_step"]
