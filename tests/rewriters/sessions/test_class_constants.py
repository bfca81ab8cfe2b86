"""Numbers of a class, read by its name where variables are made: ``Net.ACTIONS``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net:
    ACTIONS = 2

    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.zeros([3, Net.ACTIONS]))
        self.out = tf.matmul(self.x, w)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {net.x: np.ones([2, 3])}))
"""


@pytest.mark.parametrize("value", ["2", "4 // 2", "-1 + 3"])
def test_a_number_of_a_class_is_read_where_a_variable_is_made(value: str) -> None:
    text = after(NET.replace("ACTIONS = 2", f"ACTIONS = {value}"))
    assert "w = tf.Variable(tf.zeros([3, Net.ACTIONS]))\n" in text


def test_a_number_of_a_base_class_is_read() -> None:
    based = "class Base:\n    ACTIONS = 2\n\n\nclass Net(Base):\n"
    assert "[3, Net.ACTIONS]" in after(NET.replace("class Net:\n    ACTIONS = 2\n\n", based))


INNER = "    class Sizes:\n        ACTIONS = 2\n"


@pytest.mark.parametrize("head", ["class Sizes:", "class Sizes(object):", "class Sizes(IntEnum):"])
def test_a_class_in_it_names_constants(head: str) -> None:
    inner = INNER.replace("class Sizes:", head)
    text = after(NET.replace("    ACTIONS = 2\n", inner).replace("Net.A", "Net.Sizes.A"))
    assert "w = tf.Variable(tf.zeros([3, Net.Sizes.ACTIONS]))\n" in text


@pytest.mark.parametrize(
    "inner",
    [
        INNER.replace("class Sizes:", "class Sizes(dict):"),
        INNER.replace("= 2", "= len('ab')"),
        f"{INNER}        def one(self):\n            return 1\n",
        f"    @staticmethod\n{INNER}",
    ],
)
def test_a_class_in_it_that_does_more_keeps_the_session(inner: str) -> None:
    assert stopped(NET.replace("    ACTIONS = 2\n", f"{inner}    ACTIONS = 2\n"))


def test_a_constant_of_a_class_in_it_that_is_set_keeps_the_session() -> None:
    text = NET.replace("    ACTIONS = 2\n", INNER).replace("Net.A", "Net.Sizes.A")
    assert stopped(text.replace("net = Net()", "Net.Sizes.ACTIONS = 3\nnet = Net()"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    ACTIONS = 2\n", "    ACTIONS = 2\n    ACTIONS += 1\n"),
        ("    ACTIONS = 2\n", "    ACTIONS = tf.constant(2)\n"),
        ("net = Net()", "Net.ACTIONS = tf.constant(2)\nnet = Net()"),
        ("    ACTIONS = 2\n", "    if tf.__version__ > '1.0':\n        ACTIONS = 2\n"),
    ],
)
def test_what_a_class_computes_or_others_set_keeps_the_session(old: str, new: str) -> None:
    assert stopped(NET.replace(old, new))
