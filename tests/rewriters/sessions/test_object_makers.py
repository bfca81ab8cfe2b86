"""Methods that make the object which their class runs."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, n):
        self.x = tf.placeholder(tf.float32, [None, n])
        w = tf.get_variable("w", [n, 1], initializer=tf.ones_initializer())
        self.out = tf.matmul(self.x, w)

    def infer(self, sess, x):
        return sess.run(self.out, feed_dict={self.x: x})


class Predictor:
    def __init__(self, config):
        self.config = config
        self.model = self.create_model()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def create_model(self):
        RETURNS

    def predict(self, x):
        return self.model.infer(self.sess, x)


print(Predictor({"n": 3}).predict(np.ones([2, 3])))
"""
ONE = 'return Net(self.config["n"])'
NAMED = 'model = Net(self.config["n"])\n        return model'


@pytest.mark.parametrize("returns", [ONE, NAMED])
def test_the_method_keeps_the_object(returns: str) -> None:
    text = after(PROGRAM.replace("RETURNS", returns))
    assert "        self.create_model()\n" in text
    assert '    def create_model(self):\n        self.model = Net(self.config["n"])\n' in text
    assert "return self.model.infer(x)" in text


def test_an_object_that_two_ask_for_keeps_the_session() -> None:
    program = PROGRAM.replace("RETURNS", ONE) + "print(Predictor.create_model)\n"
    assert "`create_model` gives an object that it makes" in stopped(program)
