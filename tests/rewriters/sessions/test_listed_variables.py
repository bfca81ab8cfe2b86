"""Lists of a class's variables by which another method trains."""

from __future__ import annotations

from typing import Any

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Pair(object):
    def __init__(self, sess):
        self.sess, self.size = sess, 3
        self.build()

    def made(self, z):
        with tf.variable_scope("made"):
            return tf.layers.dense(z, 2, kernel_initializer=tf.constant_initializer(0.1))

    def told(self, x, reuse=False):
        with tf.variable_scope("told", reuse=reuse):
            return tf.layers.dense(x, 1, kernel_initializer=tf.constant_initializer(0.2))

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.z = tf.placeholder(tf.float32, [None, self.size])
        self.real, self.fake = self.told(self.x), self.told(self.made(self.z), reuse=True)
        self.d_loss = tf.reduce_mean(self.fake) - tf.reduce_mean(self.real)
        self.g_loss = tf.reduce_mean(tf.square(self.fake - 1.0))
        t_vars = tf.trainable_variables()
        self.d_vars = [var for var in t_vars if "told" in var.name]
        self.g_vars = [var for var in t_vars if "made" in var.name]

    def train(self):
        d_optim = tf.train.GradientDescentOptimizer(0.1).minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.GradientDescentOptimizer(0.1).minimize(self.g_loss, var_list=self.g_vars)
        self.sess.run(tf.global_variables_initializer())
        for _ in range(3):
            x, z = np.ones((2, 2)), np.ones((2, self.size))
            self.sess.run(d_optim, feed_dict={self.x: x, self.z: z})
            self.sess.run(g_optim, feed_dict={self.z: z})
        return self.sess.run(self.g_loss, {self.z: z})


with tf.Session() as sess:
    loss = Pair(sess).train()
"""


def test_a_function_that_gives_variables_is_no_graph() -> None:
    """`tf.function` would give tensors, which no optimizer updates."""
    text = after(PROGRAM)
    assert "\n\n        def compute_d_loss_and_d_vars(x, z):\n" in text
    found: dict[str, Any] = {}
    exec(text, found)
    assert abs(float(found["loss"]) - 0.179139) < 1e-6  # TF 1.15.5's
