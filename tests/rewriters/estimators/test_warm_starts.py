"""`--to keras`: an Estimator that begins with the weights of another one."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

MADE = "net = tf.estimator.Estimator(model_fn, params={})\n"
TWO = """first = tf.estimator.Estimator(model_fn, 'first', params={})
first.train(input_fn, steps=3)
net = tf.estimator.Estimator(model_fn, 'second', params={}, warm_start_from='first')
"""
SETTINGS = "tf.estimator.WarmStartSettings('first')"


def program(*changes: tuple[str, str]) -> str:
    text = TWO
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    assert MADE in PROGRAM
    return PROGRAM.replace(MADE, text)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ((), "warm_from='first'"),
        ((("_from='first'", f"_from={SETTINGS}"),), "warm_from='first'"),
        ((("_from='first'", "_from=first.model_dir"),), "warm_from=first.folder"),
        (
            (("net =", f"warm = {SETTINGS}\nnet ="), ("_from='first'", "_from=warm")),
            "warm = 'first'\nnet = Model({}, 'second', every_secs=600, warm_from=warm)",
        ),
        ((("'first'", "FOLDER"), ("first =", "FOLDER = 'm'\nfirst =")), "warm_from=FOLDER"),
    ],
)
def test_weights_of_another_estimator(changes: tuple[tuple[str, str], ...], said: str) -> None:
    new = after(program(*changes)).replace(", every_secs=600", "")
    assert said.replace(", every_secs=600", "") in new
    assert "self.begin_warm()" in new


@pytest.mark.parametrize(
    "changes",
    [
        (("_from='first'", "_from='other'"),),
        (("_from='first'", "_from=tf.estimator.WarmStartSettings('first', '.*hidden.*')"),),
        (("'second', params={}", "'second', params={'a': 2}"),),
        (("'second', params={}", "params={}"),),
        (("net =", f"warm = {SETTINGS}\nprint(warm)\nnet ="), ("_from='first'", "_from=warm")),
        (("'first'", "FOLDER"), ("first =", "FOLDER = 'm'\nfirst ="),
         ("net =", "FOLDER = 'n'\nnet =")),
    ],
)  # fmt: skip
def test_other_warm_starts_stay(changes: tuple[tuple[str, str], ...]) -> None:
    stopped(program(*changes))


def test_a_warm_start_that_no_call_gives() -> None:
    made = """def build(folder, warm=None):
    return tf.estimator.Estimator(model_fn, folder, params={}, warm_start_from=warm)


net = build('m')
"""
    new = after(PROGRAM.replace(MADE, made))
    assert "warm_from" not in new
    stopped(PROGRAM.replace(MADE, made.replace("build('m')", "build('m', 'other')")))


CANNED = """import numpy as np
import tensorflow as tf


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


x = tf.feature_column.numeric_column('x', shape=[2])
first = tf.estimator.DNNClassifier([3], [x], n_classes=3, model_dir='first')
first.train(input_fn, steps=3)
net = tf.estimator.DNNClassifier(
    [3], [x], n_classes=3, optimizer='SGD', model_dir='second', warm_start_from='first')
net.train(input_fn, steps=3)
"""


@pytest.mark.parametrize("place", ["'first'", SETTINGS, "first.model_dir"])
def test_canned_estimators(place: str) -> None:
    text = CANNED.replace("_from='first'", f"_from={place}")
    new = after(text)
    said = place.replace(SETTINGS, "'first'").replace("model_dir", "folder")
    assert f"warm_from={said})" in new
    assert "def begin_warm(self):" in new


@pytest.mark.parametrize(("old", "new"), [("    [3]", "    [4]"), ("_from='first'", "_from='x'")])
def test_canned_estimators_that_begin_with_others_stay(old: str, new: str) -> None:
    assert old in CANNED
    stopped(CANNED.replace(old, new))
