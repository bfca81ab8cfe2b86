"""What the interpreters give for the shim's case table."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from . import shim_compare
from .shim_runs import AGAIN, GOLDENS, ON_SHIM, Runs, once, tf1_python, tf2_python


@pytest.fixture(scope="session")
def on_shim(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What the shim gives."""
    return once(tmp_path_factory, "shim", tf2_python(), ON_SHIM)


@pytest.fixture(scope="session")
def on_tf1(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """What TensorFlow 1.15.5 gives, for the families that it runs again."""
    return once(tmp_path_factory, "tf1", tf1_python(), AGAIN)


@pytest.fixture(scope="session")
def goldens() -> Runs:
    """What TensorFlow 1.15.5 gave when the goldens were recorded."""
    seen: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for path in sorted(GOLDENS.glob("*.json")):
        seen.update(json.loads(path.read_text(encoding="utf-8")))
        with np.load(path.with_suffix(".npz"), allow_pickle=False) as stored:
            arrays.update({key: stored[key] for key in stored.files})
    return seen, shim_compare.split(arrays)
