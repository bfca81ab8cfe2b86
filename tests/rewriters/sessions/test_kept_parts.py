"""Methods that build parts of their object's graph when others call them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
import tensorflow.contrib.slim as slim


def twice(x):
    doubled = x * 2.0
    return tf.nn.relu(doubled)


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])

    def inference(self):
        w = tf.Variable(tf.ones([3, 2]))

        def net(x, w):
            return tf.matmul(x, w)

        MADE

    def losses(self):
        self.loss = tf.reduce_mean(self.y)

    def run(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([self.y, self.loss], {self.x: [[1.0, 2.0, 3.0]]}))


def main():
    net = Net()
    net.inference()
    net.losses()
    net.run()


main()
"""


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("self.y = net(self.x, w)", "        self.net = net\n"),
        ("self.y = twice(self.x)", "y = twice(x)"),
        ("self.y = slim.fully_connected(self.x, 2)", "self.y_layer = tf.keras.layers.Dense(2"),
        ("self.y = slim.softmax(self.x)", "y = tf.nn.softmax(x)"),
    ],
)
def test_what_it_keeps_is_its_object_s(made: str, found: str) -> None:
    assert found in after(PROGRAM.replace("MADE", made))


def test_an_inner_function_that_is_bound_again_stays() -> None:
    made = "self.y = net(self.x, w)\n        net = None"
    stopped(PROGRAM.replace("MADE", made))
    made = "self.y = tf.add_n([net(self.x, w) for w in [w, w]])"
    stopped(PROGRAM.replace("MADE", made))


FILLED = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.params = []
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.create(self.params)
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) + self.b))
        opt = tf.train.GradientDescentOptimizer(.1)
        self.grads, _ = tf.clip_by_global_norm(tf.gradients(self.loss, self.params), 5.0)
        self.updates = opt.apply_gradients(zip(self.grads, self.params))

    def create(self, params):
        self.w = tf.Variable(tf.ones([3, 1]))
        self.b = tf.Variable(tf.zeros([1]))
        params.extend([self.w, self.b])

    def run(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([self.updates, self.loss], {self.x: np.ones([2, 3])})[1])


Net().run()
"""


def test_a_list_that_a_method_is_given_and_fills() -> None:
    """What it has are several variables, not one."""
    assert "tape.gradient(loss, self.params), 5.0)" in after(FILLED)
    start, end = FILLED.index("        self.grads"), FILLED.index("\n    def create")
    one = "        self.updates = opt.minimize(self.loss, var_list=self.params)\n"
    minimized = FILLED[:start] + one + FILLED[end:]
    assert "[self.params]" not in after(minimized)
