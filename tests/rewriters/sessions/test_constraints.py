"""Constraints of variables and layers, which Keras's optimizers apply."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
MADE
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[1.0, 2.0, 3.0]]})[0])
"""


def test_a_variable_keeps_its_own() -> None:
    made = "w = tf.get_variable('w', [3, 2], constraint=lambda w: tf.clip_by_norm(w, 0.5))\n"
    text = after(PROGRAM.replace("MADE", f"{made}h = tf.matmul(x, w)"))
    assert "constraint=lambda w: tf.clip_by_norm(w, 0.5), name='w')" in text


def test_layers_are_trained_by_their_own_variables() -> None:
    # What a tape watches are TensorFlow's variables, of which Keras's constraints aren't known.
    made = "h = tf.layers.dense(x, 2, kernel_constraint=tf.keras.constraints.MaxNorm(0.5))"
    text = after(PROGRAM.replace("MADE", made))
    assert "tf.keras.layers.Dense(2, kernel_constraint=tf.keras.constraints.MaxNorm(0.5))" in text
    assert "variables = [*h_layer.trainable_variables]" in text


@pytest.mark.parametrize(
    "constraint", ["limit", "lambda w: tf.clip_by_norm(w, size)", "make_constraint(0.5)"]
)
def test_what_may_change_keeps_the_session(constraint: str) -> None:
    made = (
        "size = 0.5\n\n\ndef limit(w):\n    return tf.clip_by_norm(w, size)\n\n\n"
        "def make_constraint(size):\n    return limit\n\n\n"
        f"h = tf.layers.dense(x, 2, kernel_constraint={constraint})"
    )
    assert "a constraint that isn't" in stopped(PROGRAM.replace("MADE", made))
