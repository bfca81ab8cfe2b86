"""Functions that make variables and are given constants."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf


def gate(rows):
    both = tf.concat([rows, rows], 1)
    w = tf.Variable([[0.5], [1.5]])
    return tf.matmul(both, w)


out = gate(tf.ones([3, 1]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out))
"""


def test_what_is_computed_of_constants_is_made_once() -> None:
    text = after(SOURCE)
    assert "    both = tf.concat([rows, rows], 1)\n    w = tf.Variable([[0.5], [1.5]])\n" in text
    assert "out_layer = gate(tf.ones([3, 1]))\n" in text
    assert "    return out_layer()\n" in text


def test_a_function_that_gives_a_variable_is_called_as_before() -> None:
    made = "    return tf.Variable(tf.concat([rows, rows], 1))\n"
    text = after(SOURCE.replace(SOURCE[SOURCE.index("    both") : SOURCE.index("\n\nout")], made))
    assert "out = gate(tf.ones([3, 1]))\n" in text


def test_variables_that_are_shared_by_constants_keep_the_session() -> None:
    shared = SOURCE.replace("tf.Variable([[0.5], [1.5]])", "tf.get_variable('w', [2, 1])")
    opened = (
        "with tf.variable_scope('gate', reuse=tf.AUTO_REUSE):\n    out = gate(tf.ones([3, 1]))\n"
    )
    again = f"{opened}{opened.replace('out', 'other').replace('1]))', '1]) * 5.0)')}"
    text = shared.replace("out = gate(tf.ones([3, 1]))\n", again)
    assert "aren't seen" in stopped(text.replace("sess.run(out)", "sess.run([out, other])"))
