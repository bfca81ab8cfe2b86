"""Canned Estimators with and without a `model_dir` in one program."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

DATA = """\
import numpy as np
import tensorflow as tf


def rows():
    data = {"x": np.ones([8, 2], "float32")}, np.array([0, 1] * 4)
    return tf.data.Dataset.from_tensor_slices(data).batch(4)
"""
PROGRAM = """\
import tensorflow as tf
from data import rows

m = tf.estimator.LinearClassifier([tf.feature_column.numeric_column('x', 2)]GIVEN)
m.train(rows, steps=2)
print(m.evaluate(rows)["loss"])
"""
FOLDER = ", model_dir='models'"


def upgrade(**files: str) -> dict[str, str]:
    given = {f"{name}.py": text.encode() for name, text in files.items()}
    results = texts({"data.py": DATA.encode(), **given}, Options(to="keras"))
    found = {}
    for result in results:
        assert result.level is Level.NATIVE, [f.message for f in result.left]
        found[str(result.path)] = (result.after or b"").decode()
    return found


def test_each_file_has_the_classes_that_its_models_need() -> None:
    found = upgrade(kept=PROGRAM.replace("GIVEN", FOLDER), plain=PROGRAM.replace("GIVEN", ""))
    assert "Checkpointed" in found["kept.py"]
    assert "checkpoints=dict(folder='models')" in found["kept.py"]
    assert "heckpoint" not in found["plain.py"]


def test_arguments_by_their_places() -> None:
    text = upgrade(program=PROGRAM.replace("GIVEN", ", 'models', 3"))["program.py"]
    assert "head=MultiClassHead(3)" in text
    assert "checkpoints=dict(folder='models')" in text


def test_one_without_a_folder_beside_one_with_it_is_kept_in_a_new_one() -> None:
    plain, kept = PROGRAM.replace("GIVEN", ""), PROGRAM.partition("\nm = ")[2]
    both = plain + "n = " + kept.replace("GIVEN", FOLDER).replace("m.", "n.")
    text = upgrade(program=both)["program.py"]
    assert "    checkpoints={},\n" in text or "checkpoints={})" in text
    assert "checkpoints=dict(folder='models')" in text
    assert "self.folder = folder or tempfile.mkdtemp()" in text
