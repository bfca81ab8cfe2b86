"""Methods that build parts of their object's graph when others call them."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

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
