"""Names that only Python 2 has, in functions that build: they are Python 3's by another name."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


def stack(x, n):
    for i in xrange(n):
        x = tf.nn.relu(x + i)
    return x


x = tf.placeholder(tf.float32, [None, 2])
y = stack(x, 2)
with tf.Session() as sess:
    for i in xrange(2):
        print(sess.run(y, {x: np.ones([1, 2])}))
"""


def test_xrange_in_a_function_that_builds() -> None:
    text = after(PROGRAM)
    assert "for i in range(n):\n        x = tf.nn.relu(x + i)" in text
    assert "return stack(x, 2)" in text


def test_a_function_of_that_name_is_followed_as_one() -> None:
    own = "def xrange(n):\n    log(n)\n    return range(n)\n\n\nx = tf.placeholder"
    assert stopped(PROGRAM.replace("x = tf.placeholder", own, 1))
