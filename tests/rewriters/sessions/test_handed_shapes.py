"""Layers in a method that is given placeholders are built with the shapes of these."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Agent:
    def __init__(self, size):
        self.size = size
        self.s, self.q, self.train = self.build_nets()
        old = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="target")
        new = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="eval")
        self.replace = [tf.assign(t, e) for t, e in zip(old, new)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build_nets(self):
        s = tf.placeholder(tf.float32, [None, self.size])
        q, train = self.build_dqn(s)
        return s, q, train

    def build_dqn(self, x):
        with tf.variable_scope("eval"):
            q = tf.layers.dense(x, 2)
        with tf.variable_scope("target"):
            old = tf.layers.dense(x, 2)
        loss = tf.reduce_mean(tf.square(old + 1.0 - q))
        found = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, "eval")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=found)
        return q, train

    def learn(self, s):
        self.sess.run(self.replace)
        self.sess.run(self.train, {self.s: s})
        return self.sess.run(self.q, {self.s: s})


agent = Agent(3)
print(agent.learn([[1.0, 2.0, 3.0]]))
"""


def test_layers_are_built_with_the_shape_of_a_placeholder_that_their_method_is_given() -> None:
    text = after(PROGRAM)
    assert text.count(".build([None, self.size])\n") == 2
    assert "Session" not in text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("        self.sess = tf", "        self.size = 7\n        self.sess = tf", 3),  # set twice
        ("[None, self.size]", "[None, self.size * 2]", 6),  # more than a name
        ("def build_nets(self)", "def build_nets(self, size=5)", 5),
    ],
)
def test_a_shape_that_may_mean_something_else_there_is_a_number(
    old: str, new: str, told: int
) -> None:
    source = PROGRAM.replace(old, new)
    if "size=5" in new:
        source = source.replace("[None, self.size]", "[None, size]")
    assert after(source).count(f".build([None, {told}])\n") == 2
    untold = source.replace("Agent(3)", "Agent(int(input()))").replace("size=5", "size=len(dir())")
    assert "made at their first call" in stopped(untold)
