"""A method that runs asks for the collections which another method has filled."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

AGENT = """
import numpy as np
import tensorflow as tf


class Agent(object):
    def __init__(self, n_in, n_out):
        self.n_in, self.n_out = n_in, n_out
        self.sess = tf.Session()
        self._build()
        self.sess.run(tf.global_variables_initializer())

    def _build(self):
        names = ["main", tf.GraphKeys.GLOBAL_VARIABLES]
        self.x = tf.placeholder(tf.float32, [None, self.n_in])
        w = tf.get_variable("w", [self.n_in, self.n_out], collections=names)
        self.out = tf.matmul(self.x, w)
        self.loss = tf.reduce_mean(tf.square(self.out - 1.0))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        names = ["target", tf.GraphKeys.GLOBAL_VARIABLES]
        self.target_x = tf.placeholder(tf.float32, [None, self.n_in])
        target_w = tf.get_variable("target_w", [self.n_in, self.n_out], collections=names)
        self.target_out = tf.matmul(self.target_x, target_w)

    def learn(self, x):
        main = tf.get_collection("main")
        target = tf.get_collection("target")
        for m, t in zip(main, target):
            self.sess.run(tf.assign(t, m))
        self.sess.run(self.train_op, {self.x: x})
        return self.sess.run(self.target_out, {self.target_x: x})


agent = Agent(3, 2)
for _ in range(2):
    print(agent.learn(np.ones([4, 3])))
"""


def test_the_object_keeps_the_lists() -> None:
    text = after(AGENT)
    assert "        self.main = [w]\n" in text
    assert "        self.target = [target_w]\n" in text
    assert "        main = self.main\n        target = self.target\n" in text
    assert "            t.assign(m)\n" in text


@pytest.mark.parametrize("behind", ["agent = Agent(3, 2)\n", "agent.learn(np.ones([4, 3]))\n"])
def test_two_objects_have_the_collections_in_common(behind: str) -> None:
    source = AGENT.replace("for _ in", "agent.learn(np.ones([4, 3]))\nfor _ in")
    other = 'with tf.variable_scope("other"):\n    other = Agent(3, 2)\n'
    assert "of all" in stopped(source.replace(behind, behind + other, 1))
