"""Sizes that `tf.shape` tells: noise in the shape of a tensor."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import sys
import tensorflow as tf

def encoder(x, n, keep):
    with tf.variable_scope("encoder"):
        w = tf.get_variable('w', [x.get_shape()[1], n])
        return tf.nn.dropout(tf.matmul(x, w), keep)

def decoder(z, n, keep):
    with tf.variable_scope("decoder"):
        w = tf.get_variable('w', [z.get_shape()[1], n])
        return tf.nn.dropout(tf.matmul(z, w), keep)

x = tf.placeholder(tf.float32, [None, 3])
keep = tf.placeholder(tf.float32)
mu = encoder(x, 2, keep)
z = mu + {noise}
loss = tf.reduce_mean(tf.square(x - decoder(z, 3, keep)))
step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {{x: [[1, 2, 3]], keep: .9}})[1])
"""


@pytest.mark.parametrize(
    "noise",
    [
        "tf.random_normal(tf.shape(mu), 0, 1, dtype=tf.float32)",
        "tf.random_uniform(tf.shape(mu))",
        "tf.ones(tf.shape(mu)) * mu",
        "tf.random_normal([tf.shape(mu)[0], 2])",
    ],
)
def test_noise_in_the_shape_of_a_tensor(noise: str) -> None:
    text = after(PROGRAM.format(noise=noise))
    assert "[2, n]" in text


def test_a_layer_that_is_given_a_share_beside_its_input() -> None:
    source = PROGRAM.format(noise="mu").replace(
        "encoder(x, 2, keep)", "encoder(x, len(sys.argv), keep)"
    )
    text = after(source)
    assert "class Decoder(tf.keras.layers.Layer)" in text
    assert "def call(self, z, keep):\n" in text
    assert "(z, tf.ensure_shape(keep, []))" in text


@pytest.mark.parametrize(
    "body", ["tf.nn.dropout(tf.matmul(z, w), keep) * keep", "tf.matmul(z, w) + keep"]
)
def test_a_layer_that_is_given_another_tensor_keeps_the_session(body: str) -> None:
    source = PROGRAM.format(noise="mu").replace(
        "encoder(x, 2, keep)", "encoder(x, len(sys.argv), keep)"
    )
    source = source.replace("tf.nn.dropout(tf.matmul(z, w), keep)", body)
    assert "is shaped by one of several inputs" in stopped(source)
