"""Placeholders that a setting leaves out, and None where it does."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys

import numpy as np
import tensorflow as tf


class Model(object):
    def __init__(self, sess, y_dim=None):
        self.sess = sess
        self.y_dim = y_dim
        self.build()

    def build(self):
        if self.y_dim:
            self.y = tf.placeholder(tf.float32, [None, self.y_dim], name='y')
        else:
            self.y = None
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.out = self.net(self.x, self.y)
        self.loss = tf.reduce_mean(tf.square(self.out))

    def net(self, x, y=None):
        if not self.y_dim:
            return x * 2.
        return tf.concat([x, y], 1)

    def show(self, x, y):
        if self.y_dim:
            print(self.sess.run(self.loss, {self.x: x, self.y: y}))
        else:
            print(self.sess.run(self.loss, {self.x: x}))


with tf.Session() as sess:
    if len(sys.argv) > 1:
        model = Model(sess, y_dim=2)
    else:
        model = Model(sess)
    model.show(np.ones([3, 2]), np.ones([3, 2]))
"""
CALL = "        self.out = self.net(self.x, self.y)\n"
WAYS = """\
        if self.y_dim:
            self.out = self.net(self.x, self.y)
        else:
            self.out = self.net(self.x)
"""


def test_a_run_that_feeds_none_has_none() -> None:
    text = after(PROGRAM)
    assert "        self.y = tf.TensorSpec([None, self.y_dim], tf.float32)\n" in text
    assert "@tf.function(input_signature=[self.y, self.x])" in text
    assert "@tf.function(input_signature=[self.x])" in text
    assert "return loss_of(x, y)" in text
    assert "return loss_of(x, None)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        else:\n            self.y = None\n", ""),
        (
            "        if self.y_dim:\n            self.y = tf.placeholder(tf.float32, [None, "
            "self.y_dim], name='y')\n        else:\n            self.y = None\n",
            "        if not self.y_dim:\n            self.y = None\n        else:\n            "
            "self.y = tf.placeholder(tf.float32, [None, self.y_dim], name='y')\n",
        ),
    ],
)
def test_ways_alike_but_for_it_are_one(old: str, new: str) -> None:
    assert old in PROGRAM
    text = after(PROGRAM.replace(old, new).replace(CALL, WAYS))
    assert "if self.y_dim:\n            self.out" not in text
    assert "return loss_of(x, None)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the spec is always there
        (CALL, f"        if self.y is not None:\n            self.n = 3\n{CALL}"),
        ("[None, self.y_dim], name", "[None, self.y_dim + 1], name"),
        # another one is meant by then
        ("        self.y_dim = y_dim\n", "        self.y_dim = y_dim\n        self.y = 0\n"),
    ],
)
def test_what_asks_for_it_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))


def test_ways_that_differ_stay_two() -> None:
    ways = WAYS.replace("self.net(self.x)", "self.net(self.x * 3.)")
    text = after(PROGRAM.replace(CALL, ways))
    assert "x * 3." in text
