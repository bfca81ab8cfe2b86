"""Instance normalization of `tf.contrib.layers`: a group for each channel."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def norm(x, scope):
    return tf.contrib.layers.instance_norm(x, GIVEN, scope=scope)


x = tf.placeholder(tf.float32, [None, 6, 6, 2])
with tf.variable_scope("net"):
    h = tf.layers.conv2d(x, 3, 3, use_bias=False)
    y = tf.nn.relu(norm(h, "norm_0"))
    z = tf.contrib.layers.instance_norm(y, scale=False, activation_fn=tf.nn.tanh)
loss = tf.reduce_mean(tf.square(z - 0.3))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[[[1.0, 2.0]] * 6] * 6]})[0])
"""
GROUPS = "tf.keras.layers.GroupNormalization"


def test_a_group_for_each_channel() -> None:
    text = after(PROGRAM.replace("GIVEN", "epsilon=1e-05, center=True, scale=True"))
    assert f"{GROUPS}(epsilon=1e-05, center=True, groups=-1)" in text
    assert f"{GROUPS}(scale=False, groups=-1, epsilon=1e-06)" in text
    assert "z = tf.nn.tanh(" in text


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("data_format='NCHW'", "`data_format` of an instance norm"),
    ],
)
def test_what_keras_has_otherwise_keeps_the_session(given: str, what: str) -> None:
    assert what in stopped(PROGRAM.replace("GIVEN", given))


def test_channels_that_are_last_anyway() -> None:
    assert GROUPS in after(PROGRAM.replace("GIVEN", "data_format='NHWC'"))
