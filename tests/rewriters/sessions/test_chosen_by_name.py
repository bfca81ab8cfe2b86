"""Variables that a condition chooses by their names, which TF 2 may give otherwise."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 3]))
        self.b = tf.Variable(tf.ones([3]))
        self.all = tf.trainable_variables()
        self.loss = self.cost()
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def cost(self):
        out = tf.matmul(self.x, self.w) + self.b
        return tf.reduce_sum(out) + tf.add_n([tf.nn.l2_loss(v) for v in VARIABLES if TEST])


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([net.loss, net.step], {net.x: np.ones([1, 3])})[0])
"""


@pytest.mark.parametrize("listed", ["self.all", "tf.trainable_variables()"])
def test_a_number_that_only_tf1_gives(listed: str) -> None:
    program = PROGRAM.replace("VARIABLES", listed).replace("TEST", "'_1' in v.name")
    assert "a name is read that TF 1 has made" in stopped(program)


@pytest.mark.parametrize("listed", ["self.all", "tf.trainable_variables()"])
def test_a_word_that_both_have_or_have_not(listed: str) -> None:
    program = PROGRAM.replace("VARIABLES", listed).replace("TEST", "'bias' not in v.name")
    assert "if 'bias' not in v.name" in after(program)
