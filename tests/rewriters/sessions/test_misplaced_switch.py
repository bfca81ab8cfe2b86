"""Dropout whose third argument is a switch: TF 1 takes it for the noise's shape."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool)
h = tf.layers.dense(x, 4, kernel_initializer=tf.ones_initializer())
h = tf.layers.dropout(h, 0.7, training)
loss = tf.reduce_mean(tf.square(h))
step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([step, loss], {x: np.ones([2, 3]), training: True})[1])
"""


def test_it_drops_nothing() -> None:
    text = after(PROGRAM)
    assert "dropout" not in text
    assert "train_step(np.ones([2, 3]))" in text


def test_a_shape_that_is_written_out_says_nothing_where_nothing_is_dropped() -> None:
    assert "dropout" not in after(PROGRAM.replace("0.7, training)", "0.7, [2, 4])"))


def test_a_shape_that_may_count_keeps_the_session() -> None:
    text = PROGRAM.replace("0.7, training)", "0.7, training, training=True)")
    assert "`noise_shape` of a dropout that isn't written out" in stopped(text)
