"""``tf.get_variable_scope().reuse_variables()`` in no scope."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])


def net(x):
    return x * tf.get_variable('w', [2], initializer=tf.ones_initializer())


a = net(x)
tf.get_variable_scope().reuse_variables()
b = net(x + 1)


def run():
    with tf.Session() as sess:
        tf.get_variable_scope().reuse_variables()
        sess.run(tf.global_variables_initializer())
        print(sess.run([a, b], {x: [[1., 2.]]}))


run()
"""


def test_variables_are_found_again_from_there_on() -> None:
    text = after(PROGRAM)
    assert text.count("tf.Variable(") == 1
    assert "b = a_layer(x + 1)\n" in text
    assert "reuse" not in text


def test_a_function_that_finds_variables_again_keeps_the_session() -> None:
    inside = PROGRAM.replace("        print(", "        c = net(x)\n        print(")
    inside = inside.replace(
        "\ntf.get_variable_scope().reuse_variables()\nb = net(x + 1)", "\nb = a"
    )
    assert "`.reuse_variables()` of a variable scope isn't followed" in stopped(inside)
