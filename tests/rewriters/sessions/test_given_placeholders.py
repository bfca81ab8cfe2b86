"""Losses outside of a class, on what an object computes of placeholders that it is given."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, images, keep_prob):
        self.X = images
        self.KEEP = keep_prob
        self.create()

    def create(self):
        w = tf.get_variable("w", [3, 2])
        self.out = tf.matmul(tf.nn.dropout(self.X, self.KEEP), w)


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])
keep_prob = tf.placeholder(tf.float32)
net = Net(x, keep_prob)
loss = tf.reduce_mean(tf.square(net.out - y)) + tf.reduce_mean(x)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, feed_dict={x: np.ones([2, 3]), y: np.ones([2, 2]), keep_prob: 0.5})
"""


def test_the_object_s_function_is_given_what_the_run_is_fed() -> None:
    text = after(PROGRAM)
    assert (
        "@tf.function(input_signature=[x, y, keep_prob])\ndef train_step(x, y, keep_prob):" in text
    )
    assert "net.predict(x, keep_prob)" in text
    assert "def predict(X, KEEP):" in text
    assert "train_step(np.ones([2, 3]), np.ones([2, 2]), 0.5)" in text


def test_a_feed_dict_under_a_name_has_the_module_s_names() -> None:
    fed = "    feed = {x: np.ones([2, 3]), y: np.ones([2, 2]), keep_prob: 0.5}\n"
    named = PROGRAM.partition("    sess.run(step, feed")[0] + fed + "    sess.run(step, feed)\n"
    text = after(named)
    assert 'feed = {"x": np.ones([2, 3]), "y": np.ones([2, 2]), "keep_prob": 0.5}' in text
    assert "train_step(**feed)" in text
