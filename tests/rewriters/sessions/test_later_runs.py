"""Functions and methods that are called again in a second session, where variables are new."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

FUNCTION = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 1]))
out = tf.matmul(x, w)
loss = tf.reduce_mean(tf.square(out - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
init = tf.global_variables_initializer()


def step(sess, data):
    return sess.run({fetches}, {{x: data}})


def outer(sess, data):
    print(step(sess, data))


with tf.Session() as first:
    first.run(init)
    {call}(first, [[1.0, 1.0, 1.0]])
with tf.Session() as second:
    second.run(init)
    {call}(second, [[1.0, 1.0, 1.0]])
"""
METHOD = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def step(self, sess, data):
        return sess.run({fetches}, {{self.x: data}})


net = Net()
with tf.Session() as first:
    first.run(tf.global_variables_initializer())
    net.step(first, [[1.0, 1.0, 1.0]])
with tf.Session() as second:
    second.run(tf.global_variables_initializer())
    print(net.step(second, [[1.0, 1.0, 1.0]]))
"""


@pytest.mark.parametrize("call", ["step", "outer"])
def test_what_a_function_trained_starts_anew(call: str) -> None:
    text = after(FUNCTION.format(fetches="[train, loss]", call=call).replace("init)", "init)"))
    assert text.count("    w.assign(tf.ones([3, 1]))\n") == 1
    assert text.index("initialize()\n" + call) > text.index(call + "([[")


@pytest.mark.parametrize("call", ["step", "outer"])
def test_what_no_function_changed_starts_once(call: str) -> None:
    assert "assign" not in after(FUNCTION.format(fetches="loss", call=call))


def test_methods_that_train_in_both_sessions_keep_them() -> None:
    assert "a second session" in stopped(METHOD.format(fetches="[self.train, self.loss]"))
    assert "def step(self, data):" in after(METHOD.format(fetches="self.loss"))
