"""Normalizations that update their averages themselves aren't among the graph's update ops."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

GAN = """\
import tensorflow as tf


def bn(v, scope):
    {bn}


x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
real = tf.reduce_mean(bn(tf.layers.dense(x, 2), 'real'))
fake = tf.reduce_mean(bn(tf.layers.dense(z, 2), 'fake'))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    d_step = tf.train.GradientDescentOptimizer(0.1).minimize(real)
    g_step = tf.train.GradientDescentOptimizer(0.1).minimize(fake)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(d_step, {{x: [[1, 2, 3]]}})
    print(sess.run([g_step, fake], {{z: [[1, 2, 3]]}})[1])
"""
CALL = "tf.contrib.layers.batch_norm(v, updates_collections=None, is_training=True, scope=scope)"


@pytest.mark.parametrize("bn", [f"return {CALL}", f"h = {CALL}\n    return h"])
def test_a_run_that_waits_for_the_others_needs_no_more(bn: str) -> None:
    text = after(GAN.format(bn=bn))
    assert "def train_g_step(z):" in text
    assert "momentum=1.0" not in text
