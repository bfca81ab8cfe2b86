"""Initializers that a scope gives to what is made in other functions."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, size, training=True):
        self.x = tf.placeholder(tf.float32, [None, size])
        self.out = tf.matmul(self.x, self.weights(size))
        self.loss = tf.reduce_mean(tf.square(self.out))
        if not training:
            return
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def weights(self, size):
        w = tf.get_variable("w", [size, 1])
        return w


def main(scale):
    start = tf.random_uniform_initializer(-scale, scale)
    with tf.variable_scope("net", initializer=start):
        net = Net(3)
    with tf.variable_scope("net", reuse=True, initializer=start):
        other = Net(3, training=False)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(net.train, {net.x: np.ones((2, 3))})
        print(sess.run(other.loss, {other.x: np.ones((2, 3))}))


main(0.5)
"""
# In `__init__` itself, which two objects share.
DIRECT = (
    PROGRAM.replace("self.weights(size)", 'tf.get_variable("w", [size, 1])')
    .replace("    def weights(self, size):\n", "")
    .replace('        w = tf.get_variable("w", [size, 1])\n        return w\n\n', "")
)


def test_it_is_an_argument_of_what_is_called_in_the_scope() -> None:
    text = after(DIRECT)
    assert "    def __init__(self, size, training=True, start=None, shared=None):\n" in text
    assert 'tf.Variable(start([size, 1]), name="net/w")' in text.replace("'", '"')
    assert "    net = Net(3, start=start)\n" in text
    assert "    other = Net(3, training=False, start=start, shared=net)\n" in text


def test_it_goes_through_the_functions_between() -> None:
    head, _, rest = PROGRAM.partition('    with tf.variable_scope("net", reuse')
    text = after(head + rest[rest.index("    with tf.Session") :].replace("other.", "net."))
    assert "    def __init__(self, size, training=True, start=None):\n" in text
    assert "    def weights(self, size, start):\n" in text
    assert "    net = Net(3, start=start)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The name means something else; arguments that can't be told; a call outside.
        ("        self.x = ", "        start = 1\n        self.x = "),
        ("def __init__(self, size, training=True)", "def __init__(self, size, *training)"),
        ("training=True)", "training=True, start=tf.ones_initializer())"),  # the author's
        ("main(0.5)\n", "def more():\n    return Net(4)\n\n\nmain(0.5)\n"),
    ],
)
def test_what_can_not_be_given_keeps_the_session(old: str, new: str) -> None:
    source = DIRECT.replace(old, new)
    assert source != DIRECT
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT
