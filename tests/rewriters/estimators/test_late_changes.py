"""What a model_fn reads of the program around it, and what changes that behind its Estimator."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.estimators.test_program import after, stopped

HEAD = """import numpy as np
import tensorflow as tf
{}

def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], {})
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={{'logits': logits}})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = {{'x': np.ones((8, 2), 'f')}}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)

"""
MAIN = """
def main():
    {}
    net = tf.estimator.Estimator(model_fn)
    {}
    net.train(input_fn)
    {}


main()
"""
DICT = "SETTINGS = {'units': 4, 'rate': 1}\n"
CLASS = "\n\nclass Settings:\n    units = 4\n\n"
GROWS = "UNITS = 4\n\n\ndef grow():\n    global UNITS\n    UNITS = 8\n\n"
FLAGS = "FLAGS = tf.app.flags.FLAGS\n"
CHANGES = [
    (DICT, "SETTINGS['units']", "SETTINGS['units'] = 8"),
    (DICT, "SETTINGS['units']", "SETTINGS.update(units=8)"),
    (CLASS, "Settings.units", "Settings.units = 8"),
    (GROWS, "UNITS", "grow()"),
    (FLAGS, "FLAGS.units", "FLAGS.units = 8"),
    (FLAGS, "tf.app.flags.FLAGS.units", "tf.app.flags.FLAGS.units = 8"),
]


def program(head: str, read: str, *changes: str) -> str:
    every = [*changes, "pass", "pass", "pass"][:3]
    return HEAD.format(head, read) + MAIN.format(*every)


@pytest.mark.parametrize(("head", "read", "change"), CHANGES)
def test_a_change_behind_an_estimator_keeps_it(head: str, read: str, change: str) -> None:
    for places in (("pass", change), ("pass", "pass", change)):
        said = stopped(program(head, read, *places))[1]
        assert "changes what a model_fn reads, behind its Estimator" in said


@pytest.mark.parametrize(("head", "read", "change"), CHANGES)
def test_a_change_before_it_is_seen_by_both(head: str, read: str, change: str) -> None:
    assert change in after(program(head, read, change))


def test_other_things_may_be_changed() -> None:
    assert "SETTINGS['rate'] = 2" in after(
        program(DICT, "SETTINGS['units']", "pass", "SETTINGS['rate'] = 2")
    )


def test_a_change_in_another_branch_is_none() -> None:
    text = program(DICT, "SETTINGS['units']")
    made = "    net = tf.estimator.Estimator(model_fn)\n    pass\n    net.train(input_fn)\n"
    assert made in text
    inner = "".join(f"    {line}\n" for line in made.splitlines())
    both = f"    if len('a'):\n{inner}    else:\n        SETTINGS['units'] = 9\n"
    assert "SETTINGS['units'] = 9" in after(text.replace(made, both))


@pytest.mark.parametrize(
    ("change", "kept"),
    [("settings.UNITS = 8", True), ("settings.grow()", True), ("print(settings.UNITS)", False)],
)
def test_a_setting_of_another_file(tmp_path: Path, change: str, *, kept: bool) -> None:
    files = {
        "program.py": program("import settings\n", "settings.UNITS", "pass", change),
        "settings.py": f"import tensorflow as tf\n{GROWS}\nKIND = tf.float32\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = {str(tmp_path / name): text.encode() for name, text in files.items()}
    found = texts(data, Options(to="keras"))
    levels = {r.level for r in found if r.path.endswith("program.py")}
    assert (Level.NATIVE not in levels) is kept


def test_a_change_of_what_is_bound() -> None:
    changed = "size['units'] = 8"
    text = program("import functools\n", "size['units']", "size = {'units': 4}", changed)
    text = text.replace("mode, params)", "mode, size)", 1)
    text = text.replace("Estimator(model_fn)", "Estimator(functools.partial(model_fn, size=size))")
    assert "changes what a model_fn reads" in stopped(text)[1]
    assert "Model(size)" in after(text.replace(f"    {changed}\n", "    pass\n"))
