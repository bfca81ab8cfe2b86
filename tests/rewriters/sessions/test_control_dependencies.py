"""``with tf.control_dependencies(…)`` in functions that build."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """
import tensorflow as tf


def fibonacci(x, y):
    f_n = x + y
    with tf.control_dependencies([f_n]):
        update_x = tf.assign(x, y)
    with tf.control_dependencies([update_x]):
        update_y = tf.assign(y, f_n)
    with tf.control_dependencies([update_y]):
        return tf.identity(f_n)


a = tf.Variable(0)
b = tf.Variable(1)
result = fibonacci(a, b)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([int(sess.run(result)) for _ in range(10)])
"""


def test_a_function_that_is_called_once_stands_where_it_is_called() -> None:
    text = after(PROGRAM)
    assert "    f_n = a + b\n    a.assign(b)\n    b.assign(f_n)\n    return tf.id" in text
    assert "def fibonacci" not in text


def test_a_function_that_is_called_twice_keeps_the_session() -> None:
    twice = PROGRAM.replace("(a, b)\nwith", "(a, b)\nagain = fibonacci(b, a)\nwith")
    assert "control dependencies inside a function or a loop" in stopped(twice)
