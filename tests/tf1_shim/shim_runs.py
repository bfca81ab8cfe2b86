"""Interpreters, and the shim's case table run once for all workers of pytest-xdist."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from verify_shims import agreed

from . import shim_compare

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "fixtures" / "tf1_shim"
FAMILIES = sorted(path.stem for path in GOLDENS.glob("*.json"))
ALL = bool(os.environ.get("MIGRATE_ALL_GOLDENS"))
#: Those that TF 1.15.5 runs again: CI has time for a fifth, MIGRATE_ALL_GOLDENS=1 asks for all.
AGAIN = FAMILIES if ALL else FAMILIES[::5]
#: Those that the shim runs: a sample, where nothing changed since all of them agreed.
ON_SHIM = FAMILIES[::3] if not ALL and agreed() else FAMILIES


def tf2_python() -> str:
    """An interpreter with TensorFlow 2, or skip."""
    if os.environ.get("MIGRATE_TF2_PYTHON"):
        return os.environ["MIGRATE_TF2_PYTHON"]
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("needs TensorFlow 2: install it or set MIGRATE_TF2_PYTHON")
    return sys.executable


def tf1_python() -> str:
    """An interpreter with TensorFlow 1.15.5, or skip."""
    found = os.environ.get("MIGRATE_TF1_PYTHON")
    if not found:
        pytest.skip("needs MIGRATE_TF1_PYTHON, a Python 3.7 with TensorFlow 1.15.5")
    return found


Runs = tuple[dict[str, Any], dict[str, dict[str, np.ndarray]]]


def once(factory: pytest.TempPathFactory, name: str, python: str, families: list[str]) -> Runs:
    """Run the table with an interpreter, or wait for the worker that does."""
    base = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    folder = base / name
    try:
        folder.mkdir()
    except FileExistsError:
        while not (folder / "done").exists():
            time.sleep(0.5)
    else:
        try:
            shim_compare.run(python, folder, families)
        finally:
            (folder / "done").touch()
    with np.load(folder / "arrays.npz", allow_pickle=False) as stored:
        arrays = shim_compare.split({key: stored[key] for key in stored.files})
    return json.loads((folder / "seen.json").read_text(encoding="utf-8")), arrays
