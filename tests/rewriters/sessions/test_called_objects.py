"""Objects of a program's own layers that are called, in containers and where they are made."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Dense(object):
    def __init__(self, n_in, n_out):
        self.w = tf.Variable(tf.ones([n_in, n_out]))

    def __call__(self, v):
        return tf.matmul(v, self.w)

    def times(self, v):
        return self(v) * 2.0


x = tf.placeholder(tf.float32, [None, 4])
{net}
loss = tf.reduce_sum(tf.square(out))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0, 4.0]]}})[1])
"""
LISTED = "layers = [Dense(4, 3), Dense(3, 2)]\nout = x\nfor layer in layers:\n    out = layer(out)"
NAMED = "net = {'a': Dense(4, 3), 'b': Dense(3, 2)}\nout = net['b'](net['a'](x))"


@pytest.mark.parametrize(
    ("net", "line"),
    [
        (LISTED, "            out = layer(out)\n"),
        (NAMED, "        out = net['b'](net['a'](x))\n"),
    ],
)
def test_they_are_called_in_functions(net: str, line: str) -> None:
    text = after(PROGRAM.format(net=net))
    assert line in text
    assert "variables = tape.watched_variables()\n" in text


@pytest.mark.parametrize(
    ("net", "made", "line"),
    [
        ("out = Dense(4, 2)(x)", "dense = Dense(4, 2)\n", "out = dense(x)\n"),
        (
            "out = tf.nn.relu(Dense(4, 2)(x))",
            "dense = Dense(4, 2)\n",
            "out = tf.nn.relu(dense(x))\n",
        ),
    ],
)
def test_objects_are_made_once(net: str, made: str, line: str) -> None:
    """In a function they would be made at every trace of it."""
    text = after(PROGRAM.format(net=net))
    assert f"\n{made}" in text
    assert line in text


def test_one_that_a_loop_makes_stays() -> None:
    net = "out = x\nfor n, m in [(4, 3), (3, 2)]:\n    out = Dense(n, m)(out)"
    assert "used where it is made" in stopped(PROGRAM.format(net=net))
