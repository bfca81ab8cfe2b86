"""Checkpoints of TF 1.15.5 load in the shim, and the other way round, optimizer slots included."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from . import shim_compare
from .shim_runs import tf1_python, tf2_python

SCRIPT = Path(__file__).with_name("roundtrip.py")


def ran(python: str, what: str, folder: Path, out: Path) -> dict[str, np.ndarray]:
    subprocess.run(
        [python, "-W", "ignore", str(SCRIPT), what, str(folder), str(out)],
        check=True,
        capture_output=True,
        timeout=300,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    with np.load(out, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.parametrize("direction", ["from TF 1.15.5", "to TF 1.15.5"])
def test_round_trip(direction: str, tmp_path: Path) -> None:
    pythons = [tf1_python(), tf2_python()]
    writer, reader = pythons if direction == "from TF 1.15.5" else reversed(pythons)
    saved = ran(writer, "save", tmp_path, tmp_path / "saved.npz")
    restored = ran(reader, "restore", tmp_path, tmp_path / "restored.npz")
    assert sorted(saved) == sorted(restored)
    apart = {key: shim_compare.difference(saved[key], restored[key]) for key in saved}
    assert {key for key, gap in apart.items() if key.startswith("var:") and gap} == set()
    assert {key: gap for key, gap in apart.items() if gap > 1e-5} == {}
