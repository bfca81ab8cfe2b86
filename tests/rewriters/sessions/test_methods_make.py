"""Methods of a class: those that make its variables, and generators of numbers."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

MODEL = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = self.variable("w", [2, 1])
        self.weights = self.more()
        self.y = tf.matmul(self.x, self.w) + self.weights["b"]
        self.saver = tf.train.Saver()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def variable(self, name, shape):
        return tf.get_variable(name, shape, initializer=tf.ones_initializer())

    def more(self):
        weights = {}
        weights["b"] = tf.Variable(tf.ones([1]))
        return weights

    def save(self, path):
        self.saver.save(self.sess, path)


model = Model()
model.save("model")
print(model.sess.run(model.y, {model.x: [[1.0, 2.0]]}))
"""
BATCHES = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.size = 2
        self.y = tf.reduce_sum(self.x)
        self.sess = tf.Session()

    def batches(self, data):
        for i in range(0, len(data), self.size):
            yield {batch}

    def run(self, data):
        return [self.sess.run(self.y, {fed}) for batch in self.batches(data)]


print(Model().run([1.0, 2.0, 3.0]))
"""


def test_a_saver_has_what_methods_make() -> None:
    assert "tf.train.Checkpoint(w=self.w, weights=self.weights)" in after(MODEL)


def test_a_method_yields_numbers() -> None:
    text = after(BATCHES.format(batch="data[i : i + self.size]", fed="{self.x: batch}"))
    assert "for batch in self.batches(data)" in text


def test_a_method_that_yields_feeds_is_not_followed() -> None:
    source = BATCHES.format(batch="{self.x: data[i : i + self.size]}", fed="batch")
    assert "generators aren't followed" in stopped(source)
