"""`migrate upgrade` on estimators under all their names: it prints what TF 1.15.5 printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).resolve().parents[2] / "fixtures/estimator_shim/programs/spellings.py"
ROOT = Path(__file__).resolve().parents[2]


def upgraded(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    shutil.copy(PROGRAM, path)
    command = [sys.executable, "-m", "migrate", "upgrade", "--allow-no-vcs", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert "0 left for you" in done.stdout, done.stdout + done.stderr
    return path


def test_nothing_of_the_old_packages_is_left(tmp_path: Path) -> None:
    text = upgraded(tmp_path).read_text(encoding="utf-8")
    for old in ("tensorflow_estimator", "tf.contrib", "tensorflow.contrib", "tf.estimator."):
        assert old not in text
    assert "from migrate import estimator_shim" in text


PRIVATE = """\
import tensorflow as tf
from tensorflow.python.estimator import estimator
from tensorflow.python.estimator.canned import dnn

step = estimator._load_global_step_from_checkpoint_dir("/tmp/model")
logit_fn = dnn._dnn_logit_fn_builder(1, [2], [], tf.nn.relu, None, None)
made = tf.compat.v2.estimator.DNNClassifier([2], [])
"""


def test_private_helpers_and_compat_v2(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PRIVATE, encoding="utf-8")
    command = [sys.executable, "-m", "migrate", "upgrade", "--allow-no-vcs", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert "0 left for you" in done.stdout, done.stdout + done.stderr
    text = path.read_text(encoding="utf-8")
    for name in (
        "estimator_shim.estimator._load_global_step_from_checkpoint_dir(",
        "estimator_shim.canned.dnn._dnn_logit_fn_builder(",
        "estimator_shim.v2.DNNClassifier(",
    ):
        assert name in text


@pytest.mark.tf1
@pytest.mark.tf2
@pytest.mark.slow
def test_prints_the_same(tf1_python: str, tf2_python: str, tmp_path: Path) -> None:
    path = upgraded(tmp_path)
    runs = [(tf1_python, PROGRAM, None), (tf2_python, path, str(ROOT))]
    printed = []
    for python, program, search in runs:
        env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TF_CONFIG")}
        env |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        env |= {"PYTHONPATH": search} if search else {}
        done = subprocess.run([python, str(program)], capture_output=True, text=True, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert "experiment" in printed[0]
