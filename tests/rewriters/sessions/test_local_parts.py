"""Methods that give parts of a graph to each other under local names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net(object):
    def __init__(self, session):
        self.session = session
        self.x = tf.placeholder(tf.float32, [None, 2])
        logits = self.forward(self.x)
        loss = self.loss_of(logits)
        self.optimize(loss)
        self.keep(loss)

    def forward(self, x):
        w = tf.Variable(tf.ones([2, 1]))
        self.w = w
        return tf.matmul(x, w)

    def loss_of(self, logits):
        return tf.reduce_mean(tf.square(logits - 1.0))

    def optimize(self, cost):
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train = optimizer.minimize(cost, gate_gradients=optimizer.GATE_NONE)

    def keep(self, loss):
        self.twice = loss * 2.0

    def step(self, x):
        return self.session.run([self.train, self.twice], {self.x: x})[1]


with tf.Session() as session:
    net = Net(session)
    session.run(tf.global_variables_initializer())
    print(net.step([[1.0, 2.0]]))
"""


def test_methods_that_build_and_return() -> None:
    text = after(PROGRAM)
    assert "        self.forward()\n        self.optimize()\n" in text
    assert "    def loss_of(self, logits):\n" in text
    assert "            loss = self.loss_of(logits)\n" in text
    assert "            gradients = tape.gradient(loss, variables)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        loss = self", "        self.logits = 2\n        loss = self"),
        ("logits = self.forward(self.x)\n", "logits = self.forward(self.x)\n        logits += 1\n"),
        ("gate_gradients=optimizer.GATE_NONE", "gate_gradients=gate()"),
    ],
)
def test_names_that_mean_more_keep_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))
