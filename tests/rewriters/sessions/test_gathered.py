"""Sparse gradients: only rows of a variable itself have them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.int32, [None])
w = tf.Variable(tf.ones([5, 2]))
e = {given}
loss = tf.reduce_sum(tf.square(tf.gather({gathered}, x)))
train_op = tf.train.AdadeltaOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train_op, {{x: [1, 1, 2]}})
"""


@pytest.mark.parametrize(
    ("given", "gathered"), [("tf.reshape(w, [-1])", "e"), ("w", "tf.transpose(e)")]
)
def test_rows_of_what_is_computed_have_dense_gradients(given: str, gathered: str) -> None:
    text = after(PROGRAM.format(given=given, gathered=gathered))
    assert "optimizer = tf.keras.optimizers.Adadelta(0.1" in text


@pytest.mark.parametrize("given", ["w", "tf.identity(w)", "tf.concat([w, w], 0)"])
def test_rows_of_a_variable_move_alone(given: str) -> None:
    text = after(PROGRAM.format(given=given, gathered="e"))
    assert "class Adadelta(tf.keras.optimizers.Adadelta):" in text
    assert "optimizer = Adadelta(0.1" in text
