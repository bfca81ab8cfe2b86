"""Variable scopes without variables in functions that ops are given."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def one():
    with tf.variable_scope('one'):
        return tf.constant(1.0)


def other():
    with {scope}:
        return tf.constant(2.0)


x = tf.placeholder(tf.float32, [3])
flag = tf.placeholder(tf.bool, [])
w = tf.Variable(1.0)
loss = tf.reduce_sum(x * w) * tf.cond(flag, one, other)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {{x: [1, 2, 3], flag: True}})[1])
"""


def test_they_name_ops() -> None:
    text = after(PROGRAM.format(scope="tf.variable_scope('other')"))
    assert "    with tf.name_scope('one'):\n" in text
    assert "    with tf.name_scope('other'):\n" in text


@pytest.mark.parametrize(
    "scope", ["tf.variable_scope('other', reuse=tf.AUTO_REUSE)", "tf.variable_scope('o') as scope"]
)
def test_what_more_is_said_of_them_stays(scope: str) -> None:
    text = after(PROGRAM.format(scope=scope))
    assert f"    with {scope.replace('tf.', 'tf.compat.v1.')}:\n" in text
