"""Objects that are given tensors of placeholders compute these themselves."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

half = 0.5


class Net:
    def __init__(self, t, n):
        self.w = tf.Variable(tf.zeros([4, n]))
        self.out = tf.matmul(t, self.w)


x = tf.placeholder(tf.float32, [None, 2, 2])
flat = tf.reshape(x * half, [-1, 4])
net = Net(flat, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {x: [[[1, 2], [3, 4]]]}))
"""


def test_the_object_is_given_the_placeholder() -> None:
    text = after(PROGRAM)
    assert "def __init__(self, x, n):\n        self.x = x\n" in text
    assert "            t = tf.reshape(x * half, [-1, 4])\n" in text
    assert "net = Net(x, 3)\n" in text
    assert "flat" not in text


def test_an_expression_in_the_call() -> None:
    source = PROGRAM.replace("flat = tf.reshape(x * half, [-1, 4])\n", "")
    text = after(source.replace("Net(flat,", "Net(tf.reshape(x, [-1, 4]),"))
    assert "            t = tf.reshape(x, [-1, 4])\n" in text


def test_what_others_read_too_stays_for_them() -> None:
    text = after(PROGRAM.replace("(net.out, {", "([net.out, flat], {"))
    assert "t = tf.reshape(x * half, [-1, 4])" in text
    assert "flat = tf.reshape(x * half, [-1, 4])" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x * half", "tf.nn.dropout(x, half)"),  # each would draw its own
        ("half = 0.5", "half = 0.5\nhalf = 0.25"),
        ("net = Net(flat, 3)", "net = Net(flat, 3)\nother = Net(flat, 2)"),
        ("self.w =", "self.x = 3\n        self.w ="),  # the name has another meaning there
        ("x * half", "x * tf.Variable(half)"),
    ],
)
def test_what_may_differ_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "`__init__` is given a tensor" in stopped(PROGRAM.replace(old, new))
