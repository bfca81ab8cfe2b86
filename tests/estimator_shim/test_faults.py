"""Killed in training, a damaged checkpoint, and model_dirs that TF 1.15.5 and the shim share."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import HERE

Train = Callable[..., "subprocess.CompletedProcess[str]"]


#: 1.15.5 and the shim train in turns: CI has time for one; MIGRATE_ALL_GOLDENS=1 asks for both.
FLAGS = [
    pytest.param((), id="v2_behaviour"),
    *(
        [pytest.param(("--v1",), id="v1_behaviour")]
        if os.environ.get("MIGRATE_ALL_GOLDENS")
        else []
    ),
]


def latest(folder: Path) -> int:
    """The step of the newest checkpoint that the folder's state file names."""
    state = (folder / "checkpoint").read_text(encoding="utf-8")
    found = re.search(r'^model_checkpoint_path: "model.ckpt-(\d+)"', state)
    assert found
    return int(found[1])


@contextlib.contextmanager
def started(python: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """continue_training.py, running, and killed in the end."""
    command = [python, str(HERE / "continue_training.py"), *map(str, args)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate(timeout=20)


def read(process: subprocess.Popen[str], n: int, word: str = "step") -> None:
    """Reads so many lines of it."""
    assert process.stdout
    for _ in range(n):
        assert process.stdout.readline().startswith(word)


def continues(train: Train, python: str, folder: Path) -> int:
    """Where training goes on, having checked that it does, from the newest checkpoint."""
    reached = latest(folder)
    done = train(python, folder, f"{reached},{reached + 5}")
    assert done.stdout.split() == ["step", str(reached), "step", str(reached + 5)], done.stderr
    return reached


@pytest.mark.tf2
def test_killed_training_resumes(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    with started(tf2_python, folder, 10000, "slow") as process:
        read(process, 20)
        process.kill()
    reached = continues(train, tf2_python, folder)
    assert reached % 7 == 0
    assert reached >= 14


@pytest.mark.tf2
@pytest.mark.slow
def test_killed_while_saving_resumes(tf2_python: str, tmp_path: Path, train: Train) -> None:
    """It does little but save: kill -9 comes in the midst of that, at three different moments."""
    folder = tmp_path / "model"
    last = 0
    for i in range(3):
        with started(tf2_python, folder, 10000, "slow", "often") as process:
            read(process, 5)
            time.sleep(0.02 * i)
            process.kill()
        reached = latest(folder)
        assert reached > last
        last = reached
    continues(train, tf2_python, folder)


@pytest.mark.tf2
@pytest.mark.slow
def test_sigterm_saves_first(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    with started(tf2_python, folder, 10000, "slow") as process:
        read(process, 17)
        process.terminate()
        out, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM, errors
    assert latest(folder) == 17 + len(out.splitlines())
    continues(train, tf2_python, folder)


@pytest.mark.tf2
@pytest.mark.slow
def test_a_second_trainer_is_refused(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    with started(tf2_python, folder, 10000, "slow") as process:
        read(process, 8)
        second = train(tf2_python, folder, 5000)
        assert second.returncode == 1
        assert f"(process {process.pid}) writes to model_dir '{folder}'" in second.stderr
        read(process, 8)  # the first one goes on
        process.kill()
    continues(train, tf2_python, folder)


@pytest.mark.tf2
@pytest.mark.slow
def test_full_disk_keeps_what_was_saved(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    done = train(tf2_python, folder, 30, "full")
    assert done.returncode == 1
    assert "model.ckpt-14' could not be written. Make room on the disk" in done.stderr
    assert f"training continues from '{folder}/model.ckpt-7'" in done.stderr
    assert continues(train, tf2_python, folder) == 7


@pytest.mark.tf2
@pytest.mark.slow
def test_killed_export_leaves_no_export(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    assert train(tf2_python, folder, 2).returncode == 0
    exports = folder / "export"
    with started(tf2_python, folder, 0, "export") as process:
        read(process, 1, "export")
        while not list(exports.glob("temp-*/variables")):
            assert process.poll() is None
        process.kill()
    complete = [p for p in exports.iterdir() if p.name.isdigit()]
    assert complete
    for path in complete:
        assert (path / "saved_model.pb").exists()
        assert (path / "variables" / "variables.index").exists()
    with started(tf2_python, folder, 0, "export") as process:
        read(process, 1, "export")
    assert len([p for p in exports.iterdir() if p.name.isdigit()]) > len(complete)


@pytest.mark.tf2
def test_damaged_checkpoint_is_named(tf2_python: str, tmp_path: Path, train: Train) -> None:
    folder = tmp_path / "model"
    assert train(tf2_python, folder, 9).returncode == 0
    (shard,) = folder.glob("model.ckpt-9.data*")
    shard.write_bytes(b"\xff" * shard.stat().st_size)
    done = train(tf2_python, folder, 12)
    assert done.returncode != 0
    assert "model.ckpt-9' is damaged and can't be restored. Delete" in done.stderr
    state = folder / "checkpoint"  # as the message says
    for path in folder.glob("model.ckpt-9.*"):
        path.unlink()
    lines = [line for line in state.read_text("utf-8").splitlines() if "ckpt-9" not in line]
    state.write_text("\n".join(['model_checkpoint_path: "model.ckpt-7"', *lines]), "utf-8")
    assert continues(train, tf2_python, folder) == 7


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.slow
@pytest.mark.parametrize("flags", FLAGS)
def test_model_dirs_are_continued_both_ways(
    tf1_python: str, tf2_python: str, tmp_path: Path, train: Train, flags: tuple[str, ...]
) -> None:
    """1.15.5, the shim, 1.15.5 again end where 1.15.5 alone does: eight optimizers' slots too."""
    shared, alone = tmp_path / "shared", tmp_path / "alone"
    for python, steps in ((tf1_python, 10), (tf2_python, 20), (tf1_python, 30)):
        done = train(python, shared, steps, "optimizers", *flags)
        assert done.stdout.split() == ["step", str(steps)] * 8, done.stderr
    assert train(tf1_python, alone, 30, "optimizers").returncode == 0
    code = (
        "import sys, os, json, tensorflow as tf\n"
        "out = {}\n"
        "for o in os.listdir(sys.argv[1]):\n"
        "    r = tf.train.load_checkpoint(os.path.join(sys.argv[1], o))\n"
        "    keys = r.get_variable_to_shape_map()\n"
        "    out.update({f'{o}:{k}': r.get_tensor(k).ravel().tolist() for k in keys})\n"
        "print(json.dumps(out))\n"
    )
    first, second = (
        json.loads(
            subprocess.run(
                [tf2_python, "-c", code, str(folder)], capture_output=True, text=True, check=True
            ).stdout
        )
        for folder in (shared, alone)
    )
    assert set(first) == set(second)
    assert len(first) > 60
    for name, values in second.items():
        assert first[name] == pytest.approx(values, rel=1e-5, abs=1e-6), name
