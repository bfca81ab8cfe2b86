"""Methods that are given to ops."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        self.w = tf.Variable(tf.ones([3, 3]))
        self.x = tf.placeholder(tf.float32, [None, 3])
        states = tf.scan(self.step, tf.expand_dims(self.x, 1), initializer=tf.zeros([1, 3]))
        self.out = tf.map_fn(self.last, states)

    def step(self, state, x):
        return tf.tanh(tf.matmul(state, self.w) + x)

    def last(self, state{more}):
        return state[0]


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {{net.x: np.ones([4, 3])}}))
"""


def test_an_op_calls_the_method() -> None:
    text = after(SOURCE.format(more=""))
    assert "tf.scan(lambda state, x: self.step(state, x), tf.expand_dims(x, 1)" in text
    assert "tf.map_fn(lambda state: self.last(state), states)" in text


@pytest.mark.parametrize("more", [", *others", ", n=1"])
def test_what_takes_more_keeps_the_session(more: str) -> None:
    assert "method" in stopped(SOURCE.format(more=more))
