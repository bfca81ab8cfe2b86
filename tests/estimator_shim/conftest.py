"""Interpreters and environment of the estimator_shim's tests."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


goldens = _script("record_estimator_goldens")


@pytest.fixture(scope="session")
def tf2_python() -> str:
    """This interpreter, if it has TensorFlow."""
    if importlib.util.find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed here")
    return sys.executable


@pytest.fixture(scope="session")
def tf1_python() -> str:
    """A Python 3.7 with TensorFlow 1.15.5."""
    python = os.environ.get("MIGRATE_TF1_PYTHON")
    if not python:
        pytest.skip("MIGRATE_TF1_PYTHON names no Python with TensorFlow 1.15.5")
    return python


@pytest.fixture
def train() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs continue_training.py in an interpreter."""

    def run(python: str, *args: object) -> subprocess.CompletedProcess[str]:
        command = [python, str(HERE / "continue_training.py"), *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    return run
