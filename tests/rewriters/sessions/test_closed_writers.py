"""Writers that a loop closes, and writes to in its next round."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LOOP = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
loss = tf.reduce_mean(w * x)
merged = tf.summary.scalar("loss", loss)
writer = tf.summary.FileWriter("logs")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        text, value = sess.run([merged, loss], {x: np.ones([3])})
        writer.add_summary(text, i)
CLOSES
"""
METHOD = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        w = tf.Variable(1.0)
        self.loss = tf.reduce_mean(w * self.x)
        self.merged = tf.summary.scalar("loss", self.loss)
        self.writer = tf.summary.FileWriter("logs")
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, i):
        text, value = self.sess.run([self.merged, self.loss], {self.x: np.ones([3])})
        self.writer.add_summary(text, i)
        self.writer.close()


model = Model()
"""
WHY = "a FileWriter that is closed in a loop and written to again"


@pytest.mark.parametrize(
    "closes",
    [
        "        writer.close()",
        "        if i == 1:\n            writer.close()",
        "        for _ in range(2):\n            writer.close()\n            break",
    ],
)
def test_a_loop_goes_on(closes: str) -> None:
    assert WHY in stopped(LOOP.replace("CLOSES", closes))


@pytest.mark.parametrize(
    "closes",
    [
        "    writer.close()",
        "        if i == 1:\n            writer.close()\n            break",
        "        if value > 9:\n            writer.close()\n            raise ValueError(value)",
    ],
)
def test_a_loop_is_left(closes: str) -> None:
    assert "writer.close()" in after(LOOP.replace("CLOSES", closes))


def test_a_method_that_a_loop_calls() -> None:
    assert WHY in stopped(METHOD + "for i in range(3):\n    model.train(i)\n")
    assert "self.writer.close()" in after(METHOD + "model.train(0)\n")
