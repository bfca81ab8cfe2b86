"""Variables that are given a type in the place of `trainable`."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

w = tf.Variable([.3], tf.float32)
x = tf.placeholder(tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w * x, {x: 2.0}))
"""


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ("[.3], tf.float32", "[.3]"),
        ("[.3], tf.float32, name='w'", "[.3], name='w'"),
        ("3., tf.int64", "3."),
        ("[.3], dtype=tf.float32", "[.3], dtype=tf.float32"),
        ("[.3], False", "[.3], False"),
    ],
)
def test_a_type_is_true(given: str, becomes: str) -> None:
    assert f"w = tf.Variable({becomes})\n" in after(PROGRAM.replace("[.3], tf.float32", given))
