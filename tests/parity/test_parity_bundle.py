"""Bundles: no pickle, the same bytes for the same values, clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from parity_matrix import FIXTURES

from migrate.parity import bundle, workspace
from migrate.parity.bundle import Bundle
from migrate.parity.errors import ParityError


def test_round_trip(tmp_path: Path) -> None:
    made = Bundle({"schema": 1, "steps": 3}, {"v/0/a/b": np.arange(3)}, "printed\n")
    bundle.write(made, tmp_path)
    read = bundle.read(tmp_path)
    assert read.steps == 3
    assert read.stdout == "printed\n"
    assert read.snapshot("0")["a/b"].tolist() == [0, 1, 2]


def test_same_values_give_the_same_bytes(tmp_path: Path) -> None:
    arrays = {"b": np.ones(2), "a": np.zeros(3, np.float32)}
    bundle.write_arrays(arrays, tmp_path / "one.npz")
    bundle.write_arrays(dict(reversed(arrays.items())), tmp_path / "two.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allow_pickle=False"):
        bundle.write_arrays({"a": np.array([{}], dtype=object)}, tmp_path / "a.npz")
    np.savez(tmp_path / bundle.ARRAYS, a=np.array([{}], dtype=object))
    (tmp_path / bundle.RECORD).write_text('{"schema": 1}')
    with pytest.raises(ParityError, match="is no bundle"):
        bundle.read(tmp_path)


@pytest.mark.parametrize("content", ["", "{", '{"schema": 99}'])
def test_broken_bundles_are_errors_that_say_what_to_do(content: str, tmp_path: Path) -> None:
    bundle.write(Bundle({"schema": 1}), tmp_path)
    (tmp_path / bundle.RECORD).write_text(content)
    with pytest.raises(ParityError, match="migrate parity record"):
        bundle.read(tmp_path)


@pytest.mark.parametrize("folder", sorted((FIXTURES / "golden").iterdir()), ids=lambda p: p.name)
def test_golden_bundles_hold_versions_seeds_and_flags(folder: Path) -> None:
    record = json.loads((folder / bundle.RECORD).read_text())
    assert record["runtime"]["tensorflow"] == "1.15.5"
    assert record["runtime"]["environment"]["TF_NUM_INTRAOP_THREADS"] == "1"
    assert (record["seed"], record["randomness"]) == (0, "shape")
    assert record["exit"] == {"kind": "exit", "code": 0}
    assert "/" not in record["program"]["target"]
    if record["steps"]:
        assert record["envelope"]["runs"] == 5
    assert sum(path.stat().st_size for path in folder.iterdir()) < 200_000


def test_paths_that_leave_the_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="leaves its folder"):
        workspace.unpack({"../evil": b""}, tmp_path / "in")


def test_what_a_run_wrote(tmp_path: Path) -> None:
    source, work = tmp_path / "source", tmp_path / "work"
    (source / ".git").mkdir(parents=True)
    (source / "data").mkdir()
    (source / "data" / "a.txt").write_text("1")
    workspace.mirror(source, work)
    assert not (work / ".git").exists()
    before = workspace.manifest(work)
    (work / "data" / "a.txt").write_text("22")
    (work / "new.txt").write_text("3")
    files, notes = workspace.written(work, before)
    assert files == {"data/a.txt": b"22", "new.txt": b"3"}
    assert not notes
    assert (source / "data" / "a.txt").read_text() == "1"
