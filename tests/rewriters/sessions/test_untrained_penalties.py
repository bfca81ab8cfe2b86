"""Penalties of layers that aren't trained: TF 1 adds them up, Keras has none."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

penalty = tf.contrib.layers.l2_regularizer(0.1)


def net(x, trainable=True):
    return tf.layers.dense(x, 2, kernel_regularizer=penalty, trainable=TRAINED, name='inner')


x = tf.placeholder(tf.float32, [None, 3])
h = tf.layers.dense(x, 3, tf.nn.relu, name='outer', trainable=OUTER)
loss = tf.reduce_mean(tf.square(CALL)) + tf.losses.get_regularization_loss()
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[1.0, 2.0, 3.0]]})[0])
"""


def program(trained: str, call: str, outer: str = "True") -> str:
    return PROGRAM.replace("TRAINED", trained).replace("CALL", call).replace("OUTER", outer)


@pytest.mark.parametrize(
    ("trained", "call"),
    [("False", "net(h)"), ("trainable", "net(h, False)"), ("trainable", "net(h, trainable=False)")],
)
def test_they_keep_the_session(trained: str, call: str) -> None:
    what = "the regularization losses of layers that aren't trained"
    assert what in stopped(program(trained, call))


@pytest.mark.parametrize(("trained", "outer"), [("True", "True"), ("trainable", "False")])
def test_those_of_trained_layers_are_keras_s(trained: str, outer: str) -> None:
    assert "losses" in after(program(trained, "net(h)", outer))
