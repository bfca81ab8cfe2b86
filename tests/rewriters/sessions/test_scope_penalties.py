"""Layers under a variable scope's regularizer; slim's variables; projections of images.

Their numbers are those of fixtures/native/scope_penalties and projected_images.
"""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
from tensorflow.contrib import slim

x = tf.placeholder(tf.float32, [None, 4])
plain = tf.get_variable('plain', [4], regularizer=tf.contrib.layers.l1_regularizer(0.1))
l2 = tf.contrib.layers.l2_regularizer(0.1)
with tf.variable_scope('s', regularizer=l2):
    out = LAYER
loss = tf.reduce_mean(tf.square(out)) + tf.reduce_sum(plain) + tf.losses.get_regularization_loss()
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[1.0, 2.0, 3.0, 4.0]]})[0])
"""


@pytest.mark.parametrize("layer", ["tf.layers.dense(x, 3)", "slim.fully_connected(x, 3)"])
def test_a_scope_gives_its_regularizer(layer: str) -> None:
    text = after(PROGRAM.replace("LAYER", layer))
    assert "kernel_regularizer=tf.keras.regularizers.L2(0.05)" in text
    assert "bias_regularizer=tf.keras.regularizers.L2(0.05)" in text


@pytest.mark.parametrize(
    "layer",
    [
        "tf.layers.dense(x, 3, kernel_regularizer=l2)",  # both count
        "tf.layers.batch_normalization(x)",  # its averages get penalties, too
        "slim.fully_connected(x, 3, normalizer_fn=slim.batch_norm)",
    ],
)
def test_what_a_scope_gives_otherwise_keeps_the_session(layer: str) -> None:
    assert "gives this its `regularizer`" in stopped(PROGRAM.replace("LAYER", layer))


@pytest.mark.parametrize("kind", ["variable", "model_variable"])
def test_variables_of_slim(kind: str) -> None:
    layer = f"tf.matmul(x, slim.{kind}('w', [4, 3], initializer=tf.ones_initializer()))"
    assert "w = tf.Variable(tf.ones([4, 3]), name='s/w')" in after(PROGRAM.replace("LAYER", layer))


def test_variables_of_the_model_that_are_asked_for_keep_the_session() -> None:
    layer = "tf.matmul(x, slim.model_variable('w', [4, 3]))\nshown = slim.get_model_variables()"
    assert "`get_model_variables` is asked for" in stopped(PROGRAM.replace("LAYER", layer))


def test_images_are_projected_by_a_function_of_the_file() -> None:
    layer = "tf.contrib.image.rotate(tf.reshape(x, [-1, 2, 2, 1]), 0.1, 'BILINEAR')"
    text = after(PROGRAM.replace("LAYER", layer).replace("regularizer=l2", ""))
    assert 'rotate_images(tf.reshape(x, [-1, 2, 2, 1]), 0.1, "BILINEAR")' in text
    text = stopped(PROGRAM.replace("LAYER", layer.replace("'BILINEAR'", "str(l2)")))
    assert "`interpolation` that isn't seen" in text


def test_a_scope_that_says_float32() -> None:
    program = PROGRAM.replace("regularizer=l2", "dtype=TYPE").replace(
        "LAYER", "tf.layers.dense(x, 3)"
    )
    assert "tf.keras.layers.Dense(3)" in after(program.replace("TYPE", "tf.float32"))
    assert "a variable scope with `dtype`" in stopped(program.replace("TYPE", "tf.float64"))
