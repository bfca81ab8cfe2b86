"""Learning rates that are whole numbers: Keras's optimizers refuse them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

w = tf.Variable(3.0)
{before}
step = tf.train.GradientDescentOptimizer({rate}).minimize(w * w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(step)
"""
OBJECT = """\
import tensorflow as tf


class Model:
    def __init__(self, rate=2):
        self.rate = rate
        self.w = tf.Variable(3.0)
        self.step = tf.train.AdamOptimizer(self.rate).minimize(self.w * self.w)


model = Model({given})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(model.step)
"""


def upgraded(source: str) -> str:
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    ("before", "rate", "written"),
    [
        ("", "10", "SGD(10.0)"),
        ("rate = 10", "rate", "SGD(float(rate))"),
        ("rate = 2 * 5", "rate", "SGD(float(rate))"),
        ("rate = 10.0", "rate", "SGD(rate)"),
        ("rate = 1 / 10", "rate", "SGD(rate)"),
        ("", "2 * 0.1", "SGD(2 * 0.1)"),
    ],
)
def test_what_is_plainly_whole_becomes_a_float(before: str, rate: str, written: str) -> None:
    new = upgraded(PROGRAM.format(before=before, rate=rate))
    assert f"tf.keras.optimizers.{written}\n" in new


@pytest.mark.parametrize(
    ("given", "written"),
    [("", "float(self.rate)"), ("1", "float(self.rate)"), ("0.1", "self.rate")],
)
def test_what_an_object_is_given(given: str, written: str) -> None:
    assert f"Adam({written}, " in upgraded(OBJECT.format(given=given))
