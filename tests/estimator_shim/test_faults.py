"""Killed in training, a damaged checkpoint, and model_dirs that TF 1.15.5 and the shim share."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import HERE

Train = Callable[..., "subprocess.CompletedProcess[str]"]


def latest(folder: Path) -> int:
    """The step of the newest checkpoint that the folder's state file names."""
    state = (folder / "checkpoint").read_text(encoding="utf-8")
    found = re.search(r'^model_checkpoint_path: "model.ckpt-(\d+)"', state)
    assert found
    return int(found[1])


@pytest.mark.tf2
def test_killed_training_resumes(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    command = [tf2_python, str(HERE / "continue_training.py"), str(folder), "10000", "slow"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        for _ in range(20):
            assert process.stdout.readline().startswith("step")
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)
    reached = latest(folder)
    assert reached % 7 == 0
    assert reached >= 14
    done = train(tf2_python, folder, reached)
    assert done.stdout.split() == ["step", str(reached)], done.stderr
    done = train(tf2_python, folder, reached + 5)
    assert done.stdout.split() == ["step", str(reached + 5)], done.stderr


@pytest.mark.tf2
def test_damaged_checkpoint_is_named(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    assert train(tf2_python, folder, 9).returncode == 0
    (shard,) = folder.glob("model.ckpt-9.data*")
    shard.write_bytes(b"\xff" * shard.stat().st_size)
    done = train(tf2_python, folder, 12)
    assert done.returncode != 0
    assert "model.ckpt-9' is damaged and can't be restored. Delete" in done.stderr


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("flags", [(), ("--v1",)], ids=["v2_behaviour", "v1_behaviour"])
def test_model_dirs_are_continued_both_ways(
    tf1_python: str, tf2_python: str, tmp_path: Path, train: Train, flags: tuple[str, ...]
) -> None:
    shared, alone = tmp_path / "shared", tmp_path / "alone"
    for python, steps in ((tf1_python, 10), (tf2_python, 20), (tf1_python, 30)):
        done = train(python, shared, steps, *flags)
        assert done.stdout.split() == ["step", str(steps)], done.stderr
    assert train(tf1_python, alone, 30).returncode == 0
    code = (
        "import sys, json, tensorflow as tf\n"
        "out = {}\n"
        "for d in sys.argv[1:]:\n"
        "    r = tf.train.load_checkpoint(d)\n"
        "    keys = r.get_variable_to_shape_map()\n"
        "    out[d] = {k: r.get_tensor(k).ravel().tolist() for k in keys}\n"
        "print(json.dumps(list(out.values())))\n"
    )
    done = subprocess.run(
        [tf2_python, "-c", code, str(shared), str(alone)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    import json

    first, second = json.loads(done.stdout)
    assert set(first) == set(second)
    for name, values in second.items():
        assert first[name] == pytest.approx(values, rel=1e-5, abs=1e-6), name
