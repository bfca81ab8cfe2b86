"""Attributes that one function sets and reads, and nothing else."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        def layers(s):
            w = tf.get_variable('w', [3, 2])
            v = tf.get_variable('v', [3, 1])
            with tf.name_scope('value'):
                self.V = tf.matmul(s, v)
            return self.V + tf.matmul(s, w)

        self.s = tf.placeholder(tf.float32, [None, 3])
        with tf.variable_scope('net'):
            self.q = layers(self.s)
        with tf.variable_scope('target'):
            self.q_next = layers(self.s)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def run(self, s):
        return self.sess.run(self.q, {self.s: s}), self.sess.run(self.q_next, {self.s: s})


print(Net().run(np.ones([1, 3])))
"""


def test_it_is_a_local_name() -> None:
    text = after(PROGRAM)
    assert "                V = tf.matmul(s, v)\n" in text
    assert "                return V + tf.matmul(s, w)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(Net().run", "net = Net()\nprint(net.V)\nprint(net.run"),
        ("print(Net().run", "print(getattr(Net(), 'V'))\nprint(Net().run"),
        ("return self.V + tf.matmul(s, w)", "return (lambda: self.V)() + tf.matmul(s, w)"),
    ],
)
def test_what_others_may_read_stays(old: str, new: str) -> None:
    assert "set from outside of its class" in stopped(PROGRAM.replace(old, new))


FED = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        # the features
        x = self.x
        x = tf.reshape(x, [-1])
        self.out = tf.reduce_sum(x * 2.0)


net = Net()
with tf.Session() as sess:
    print(sess.run(net.out, {net.x: [[1.0, 2.0]]}))
"""


def test_a_local_name_of_a_fed_attribute_is_its_parameter() -> None:
    text = after(FED)
    assert "            # the features\n            x = tf.reshape(x, [-1])\n" in text
    assert "x = x\n" not in text


RETURNING = """\
import tensorflow as tf


def linear(x, size, name, with_w=False):
    with tf.variable_scope(name):
        w = tf.get_variable('w', [2, size])
        if with_w:
            return tf.matmul(x, w), w
        return tf.matmul(x, w)


class Net:
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 2])
        with tf.variable_scope('net'):
            self.one = self.net(self.x)
        with tf.variable_scope('net', reuse=True):
            self.two = self.net(self.x * 2.0)

    def net(self, x):
        self.h, self.h_w = linear(x, 2, 'hidden', with_w=True)
        h = tf.nn.relu(self.h)
        return linear(h, 1, 'out')

    def run(self):
        self.sess.run(tf.global_variables_initializer())
        print(self.sess.run([self.one, self.two], {self.x: [[1.0, 2.0]]}))


with tf.Session() as sess:
    Net(sess).run()
"""


def test_what_a_method_that_returns_has_for_itself() -> None:
    """``h`` is its name, too, as it isn't bound before what it is made of was read."""
    text = after(RETURNING)
    assert "h_w" not in text
    assert "            h = tf.nn.relu(h)\n" in text
    other = RETURNING.replace("        self.h, ", "        h = x * 2.0\n        self.h, ")
    other = other.replace("linear(x, 2", "linear(h, 2")
    assert "tf.nn.relu(h_2)" in after(other)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    Net(sess).run()", "    net = Net(sess)\n    print(net.h_w.name)\n    net.run()"),
        (
            "        h = tf.nn.relu(self.h)",
            "        w = self.h_w\n        self.w = w\n        h = w",
        ),
    ],
)
def test_what_others_may_ask_for(old: str, new: str) -> None:
    assert old in RETURNING
    stopped(RETURNING.replace(old, new))
