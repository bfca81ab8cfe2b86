"""Files that another may import are judged alone only where none does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from migrate.engine import functions
from migrate.engine.options import Options
from migrate.engine.runner import texts, upgrade

SCRIPT = b"""import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.reduce_sum(x)
with tf.Session() as sess:
    print(sess.run(y, {x: [[1., 2., 3.]]}))
"""
MODEL = b"""import tensorflow as tf


def scores(x):
    w = tf.get_variable("w", [3, 2])
    return tf.matmul(x, w)
"""
TRAIN = b"""import tensorflow as tf
import model

x = tf.placeholder(tf.float32, [None, 3])
y = model.scores(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1., 2., 3.]]}))
"""


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose sessions were looked at without others."""
    seen: list[str] = []
    whole = functions.to_functions

    def watched(document, *args):  # type: ignore[no-untyped-def]
        seen.append(document.path)
        return whole(document, *args)

    monkeypatch.setattr(functions, "to_functions", watched)
    return seen


def upgraded(sources: dict[str, bytes]) -> dict[str, str]:
    return {r.path: (r.after or b"").decode() for r in texts(sources, Options())}


def test_a_file_of_a_program_is_judged_with_it_only(alone: list[str]) -> None:
    found = upgraded({"model.py": MODEL, "train.py": TRAIN})
    assert alone == []
    assert "tf.function" in found["train.py"]
    assert "compat" not in found["model.py"]


def test_a_file_that_is_only_called_like_an_import_is_judged_alone(alone: list[str]) -> None:
    found = upgraded({"lone.py": SCRIPT, "other.py": b"from data import lone\n"})
    assert alone == ["lone.py"]
    assert "tf.function" in found["lone.py"]


def test_so_is_a_file_that_no_program_runs(alone: list[str]) -> None:
    user = b"import model\n\nNETS = {'scores': model.scores}\n"
    upgraded({"model.py": MODEL, "nets.py": user})
    assert alone == ["model.py"]


def test_a_folder_is_judged_so_too(alone: list[str], tmp_path: Path) -> None:
    files = {"lone.py": SCRIPT, "other.py": b"from data import lone\n"}
    files |= {"model.py": MODEL, "train.py": TRAIN}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    options = Options(root=str(tmp_path), cache=False, jobs=1)
    found = {r.path: r.after for r in upgrade([str(tmp_path)], options)}
    assert [os.path.basename(path) for path in alone] == ["lone.py"]
    assert all(b"tf.function" in (found[name] or b"") for name in ("lone.py", "train.py"))
