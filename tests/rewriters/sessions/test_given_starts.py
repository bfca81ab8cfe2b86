"""What variables start with, which functions and methods that make them are given."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def make(start, name):
    {body}return tf.Variable(start, name=name)


def dense(x, n, m):
    start = tf.truncated_normal([n, m], 0.0, 0.1)
    w = make(start, 'w')
    b = make(tf.random_uniform([m]), 'b')
    return {result}


x = tf.placeholder(tf.float32, [None, 3])
y = dense(dense(x, 3, 4), 4, 2)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
{more}"""
PLAIN = {"body": "", "result": "tf.matmul(x, w) + b", "more": ""}


def test_they_are_given_it() -> None:
    text = after(PROGRAM.format(**PLAIN))
    assert "    start = tf.random.truncated_normal([n, m], 0.0, 0.1)\n" in text
    assert "    w = make(start, 'w')\n    b = make(tf.random.uniform([m]), 'b')\n" in text
    assert "def make(start, name):\n    return tf.Variable(start, name=name)\n" in text


@pytest.mark.parametrize(
    "changed",
    [
        # runs draw it, too
        {"result": "tf.matmul(x, w) + b + tf.reduce_sum(start)"},
        # it is changed before
        {"body": "start = start + tf.reduce_sum(x)\n    "},
        # another draw at each initialization
        {"more": "sess.run(tf.global_variables_initializer())\n"
         "print(sess.run(y, {x: [[1.0] * 3]}))\n"},
    ],
)  # fmt: skip
def test_other_starts_keep_the_session(changed: dict[str, str]) -> None:
    stopped(PROGRAM.format(**PLAIN | changed))
