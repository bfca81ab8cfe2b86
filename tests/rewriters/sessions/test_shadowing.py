"""An object's tensors and Python's values that have the same name in a method."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, loss='log', score=2.0):
        self.p = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.ones([3, 1]))
        pos = tf.matmul(self.p, self.w)
        if loss == 'svm':
            self.loss = tf.reduce_mean(tf.maximum(0.0, 1.0 - pos))
        else:
            self.loss = -tf.reduce_mean(tf.log(tf.sigmoid(pos)))
        self.loss = self.loss + 0.1
        self.train = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)
        self.score = tf.matmul(self.p, self.w) * score
        self.double = self.score * 2


net = Net()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
fed = {net.p: np.ones([2, 3])}
print(sess.run([net.train, net.loss], fed)[1])
print(sess.run(net.score, fed), sess.run(net.double, fed))
"""


def test_a_parameter_and_a_tensor_of_the_object() -> None:
    text = after(PROGRAM)
    assert "                if loss == 'svm':\n                    loss_value = " in text
    assert "                loss_value = loss_value + 0.1\n" in text
    assert "            gradients = tape.gradient(loss_value, variables)\n" in text
    assert "            return loss_value\n" in text
    assert "            return tf.matmul(p, self.w) * score\n" in text
    assert "            score_value = predict(p)\n            return score_value * 2\n" in text


def test_a_name_that_is_taken() -> None:
    text = after(PROGRAM.replace("fed", "loss_value"))
    assert "                    loss_value2 = -tf.reduce_mean(" in text


def test_a_name_that_nothing_else_has_stays() -> None:
    text = after(PROGRAM.replace("loss='log'", "kind='log'").replace("if loss ==", "if kind =="))
    assert "                    loss = -tf.reduce_mean(" in text
