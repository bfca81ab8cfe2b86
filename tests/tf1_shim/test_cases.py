"""The shim against TensorFlow 1.15.5, case by case."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from . import shim_compare
from .shim_runs import AGAIN, GOLDENS, ON_SHIM, Runs, tf1_python

# The table is run once with each interpreter: the other worker needn't wait for it.
pytestmark = pytest.mark.xdist_group("tf1_shim")

NAMES = sorted(
    name for path in GOLDENS.glob("*.json") for name in json.loads(path.read_text(encoding="utf-8"))
)


def differences(name: str, want: Runs, got: Runs, tolerance: float | None = None) -> list[str]:
    missing: dict[str, Any] = {"error": "not run"}
    return shim_compare.problems(
        name,
        want[0].get(name, missing),
        got[0].get(name, missing),
        want[1].get(name, {}),
        got[1].get(name, {}),
        tolerance,
    )[0]


def alone_on_tf1(name: str, folder: Path) -> Runs:
    """What TensorFlow 1.15.5 gives on this machine, where nothing else races with it."""
    seen, arrays = shim_compare.run(tf1_python(), folder, [name])
    return seen, shim_compare.split(arrays)


@pytest.mark.tf2
@pytest.mark.parametrize("name", [n for n in NAMES if n.partition("/")[0] in ON_SHIM])
def test_shim_gives_what_tf1_gave(name: str, goldens: Runs, on_shim: Runs, tmp_path: Path) -> None:
    found = differences(name, goldens, on_shim)
    if found and os.environ.get("MIGRATE_TF1_PYTHON"):
        # Recorded on another machine: near it, and what 1.15.5 gives on this one.
        found = differences(name, goldens, on_shim, shim_compare.elsewhere(name))
        found += differences(name, alone_on_tf1(name, tmp_path), on_shim)
    assert not found


@pytest.mark.tf1
@pytest.mark.parametrize("name", [n for n in NAMES if n.partition("/")[0] in AGAIN])
def test_golden_is_what_tf1_gives(name: str, goldens: Runs, on_tf1: Runs, tmp_path: Path) -> None:
    found = differences(name, goldens, on_tf1)
    if found:
        # Threads of 1.15.5's own may race on a busy machine, and machines round differently. A
        # golden that is wrong differs alone, each time, and by more.
        here = alone_on_tf1(name, tmp_path)
        found = differences(name, goldens, here, shim_compare.elsewhere(name))
    assert not found


@pytest.mark.tf2
def test_every_case_has_a_golden(goldens: Runs, on_shim: Runs) -> None:
    assert set(on_shim[0]) == {name for name in goldens[0] if name.partition("/")[0] in ON_SHIM}
