"""Helpers that hand all that they are given on to an op."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def joined(tensors, axis, *args, **kwargs):
    return tf.concat(tensors, axis, {given})


x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 3]))
y = joined([x, tf.matmul(x, w)], 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1, 2, 3]]}}))
"""


@pytest.mark.parametrize("given", ["*args, **kwargs", "*args", "**kwargs"])
def test_they_are_functions_as_others(given: str) -> None:
    text = after(PROGRAM.format(given=given))
    assert f"    return tf.concat(tensors, axis, {given})\n" in text
    assert "joined([x, tf.matmul(x, w)], 1)" in text
