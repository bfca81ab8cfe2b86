"""Helpers that take gradients: inside of a function of TF 2 they take them as they did."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """
import tensorflow as tf


class Net:
    def __init__(self):
        self.w = tf.Variable([[0.5], [0.25]])
        self.x = tf.placeholder(tf.float32, [None, 1])
        self.t = tf.placeholder(tf.float32, [None, 1])
        self.u, _ = self.net_u(self.x, self.t)
        self.f = self.net_f(self.x, self.t)
        self.train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(self.u + self.f))

    def net_u(self, x, t):
        u = tf.tanh(tf.matmul(tf.concat([x, t], 1), self.w))
        u_x = tf.gradients(u, x)[0]
        return u, u_x

    def net_f(self, x, t):
        u, u_x = self.net_u(x, t)
        return u * tf.gradients(u_x, x)[0]


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(net.train, {net.x: [[1.]], net.t: [[2.]]})
    print(sess.run(net.f, {net.x: [[1.]], net.t: [[2.]]}))
"""


def test_methods_keep_the_gradients_that_they_take() -> None:
    text = after(NET)
    assert "        u_x = tf.gradients(u, x)[0]\n        return u, u_x\n" in text
    assert "return u * tf.gradients(u_x, x)[0]\n" in text
    assert "f = self.net_f(x, t)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.gradients(u_x, x)[0]", "tf.gradients(u_x, self.w)[0]"),  # by a variable
        ("tf.gradients(u_x, x)[0]", "tf.gradients(u_x, x, None, 'g', False, True)[0]"),
    ],
)
def test_others_keep_the_session(old: str, new: str) -> None:
    stopped(NET.replace(old, new))


ALONE = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([1., 2.])


def slopes(loss):
    return tf.gradients(loss, [w])[0]


slope = slopes(tf.reduce_sum(x * w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(slope, {x: [[1., 2.]]}))
"""


def test_gradients_by_variables_are_written_where_they_are_asked_for() -> None:
    text = after(ALONE)
    assert "tf.GradientTape()" in text
    assert "tf.gradients" not in text
