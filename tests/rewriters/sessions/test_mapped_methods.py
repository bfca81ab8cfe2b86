"""Methods that a dataset maps, of the object at hand or of another one."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Data(object):
    scale = 2

    def __init__(self, size):
        self.size = size
        self.items = np.ones([6, 2], np.float32)

    def add(self, x):
        return x + self.size

    def process(self, x):
        {first}
        return self.add(tf.to_float(x)) * self.scale


class Model(object):
    def __init__(self):
        self.batch = 2
        self.w = tf.Variable(tf.ones([2, 1]))
        data = Data(3)
        train = tf.data.Dataset.from_tensor_slices(data.items)
        train = train.map(data.process).map(self.double).batch(self.batch)
        self.x = train.make_one_shot_iterator().get_next()
        self.y = tf.matmul(self.x, self.w)

    def double(self, x):
        return x * {factor}


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.y))
"""


def test_methods_that_compute_stay() -> None:
    text = after(PROGRAM.format(first="x = x * 1", factor="self.batch"))
    assert "train = train.map(data.process).map(self.double).batch(self.batch)" in text
    assert "tf.cast(x, tf.float32)" in text


@pytest.mark.parametrize(
    ("first", "factor", "why"),
    [
        ("self.last = x", "2", "a method that is mapped, sets `last`"),
        ("show(self)", "2", "hands its object on"),
        ("x = x * 1", "self.w[0, 0]", "a method that is mapped uses `w` of its object"),
        ("x = tf.layers.dense(x, 2)", "2", "a function that is mapped makes variables"),
    ],
)
def test_methods_that_do_more_keep_the_session(first: str, factor: str, why: str) -> None:
    assert why in stopped(PROGRAM.format(first=first, factor=factor))


STATIC = PROGRAM.format(first="x = x * 1", factor="2").replace(
    "    def add(self, x):\n        return x + self.size",
    "    @staticmethod\n    def add(x):\n        return x + 3",
)


def test_a_static_method_computes_like_any_function() -> None:
    assert "    @staticmethod\n    def add(x):\n        return x + 3\n" in after(STATIC)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("return x + 3", "return tf.layers.dense(x, 2)", "a function that is mapped makes"),
        ("@staticmethod", "@classmethod", "has a decorator or no self"),
    ],
)
def test_other_decorators_and_what_makes_variables(old: str, new: str, why: str) -> None:
    assert why in stopped(STATIC.replace(old, new))
