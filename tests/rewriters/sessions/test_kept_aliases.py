"""Another object's tensor that an attribute keeps, too: ``self.value = self.critic.out``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

AGENT = """
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 2]))
        self.out = tf.matmul(self.x, self.w)


class Agent(object):
    def __init__(self, sess, net):
        self.sess = sess
        self.net = net
        self.value = self.net.out
        self.goal = tf.placeholder(tf.float32, [None, 2])
        self.loss = tf.reduce_mean(tf.square(self.value - self.goal))
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.step = optimizer.minimize(self.loss, var_list=[self.net.w])

    def train(self, x):
        value = self.sess.run(self.value, {self.net.x: x})
        feed = {self.net.x: x, self.goal: value + 1.0}
        return self.sess.run([self.loss, self.step], feed)[0]


sess = tf.Session()
agent = Agent(sess, Net())
sess.run(tf.global_variables_initializer())
print(agent.train(np.ones([2, 3])))
"""


def test_what_the_attribute_stands_for_is_read() -> None:
    text = after(AGENT)
    assert "self.value" not in text
    assert "out = self.net.predict(x)" in text
    assert "loss = tf.reduce_mean(tf.square(out - goal))" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        value = self.sess", "        self.value = None\n        value = self.sess"),
        ("    def train", "    def swap(self, net):\n        self.net = net\n\n    def train"),
        ("print(agent.train", "print(agent.value)\nprint(agent.train"),
        (
            "        self.value = self.net.out\n",
            "        if net:\n            self.value = net.out\n",
        ),
    ],
)
def test_what_may_be_something_else_keeps_the_session(old: str, new: str) -> None:
    stopped(AGENT.replace(old, new, 1))


def test_an_object_that_is_only_given_is_kept() -> None:
    source = AGENT.replace("        self.net = net\n", "").replace("self.net.", "net.")
    train = source[source.index("    def train") : source.index("sess = tf.Session()")]
    source = source.replace(
        train,
        "    def measure(self, x, goal):\n"
        "        return self.sess.run(self.loss, {self.value: x, self.goal: goal})\n\n\n",
    ).replace("agent.train(np.ones([2, 3]))", "agent.measure(np.ones([2, 2]), np.zeros([2, 2]))")
    text = after(source)
    assert "        self.net = net\n" in text
    assert "self.value" not in text
