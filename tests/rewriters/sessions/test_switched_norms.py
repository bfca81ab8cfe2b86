"""`tf.cond` of two batch normalizations that share their variables: one, with a switch."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib.layers import batch_norm

def norm(x, training, scope):
    return tf.cond(training,
                   lambda: batch_norm(x, {first}, scope=scope, updates_collections=None),
                   lambda: batch_norm(x, {second}, scope=scope, updates_collections=None))

x = tf.placeholder(tf.float32, [None, 4])
flag = tf.placeholder(tf.bool)
w = tf.Variable(tf.ones([4, 3]))
h = norm(tf.matmul(x, w), flag, 'n1')
step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_mean(h * tf.constant([1., 2., 3.])))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {{x: [[1, 2, 3, 4], [2, 3, 4, 1]], flag: True}})
    print(sess.run(h, {{x: [[1, 2, 3, 4]], flag: False}}))
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("is_training=True", "is_training=False, reuse=True"),
        ("is_training=training, reuse=None", "is_training=training, reuse=True"),
        ("reuse=False, is_training=True", "reuse=True, is_training=False"),
    ],
)
def test_two_that_share_variables_are_one(first: str, second: str) -> None:
    text = after(PROGRAM.format(first=first, second=second))
    assert "batch_norm_layer(x, training=training)" in text
    assert "tf.cond" not in text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("is_training=True", "is_training=False"),
        ("is_training=False", "is_training=True, reuse=True"),
        ("is_training=True, decay=0.9", "is_training=False, reuse=True, decay=0.8"),
        ("is_training=True", "is_training=True, reuse=True"),
    ],
)
def test_others_keep_the_session(first: str, second: str) -> None:
    assert "a lambda makes variables" in stopped(PROGRAM.format(first=first, second=second))
