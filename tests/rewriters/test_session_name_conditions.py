"""Lists of variables by conditions of several words on their names."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("d_net"):
    w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
with tf.variable_scope("g_net"):
    v = tf.get_variable("w", [2, 3], initializer=tf.ones_initializer())
with tf.variable_scope("q_net"):
    u = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
out = tf.matmul(tf.matmul(tf.matmul(x, w) + b, v), u)
loss = tf.reduce_mean(tf.square(out))
t_vars = tf.trainable_variables()
mine = [one for one in t_vars if TEST]
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, var_list=mine)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]})[0])
    print(sess.run([w, b, v, u]))
"""


@pytest.mark.parametrize(
    ("test", "mine"),
    [
        ("'d_' in one.name or 'q_' in one.name", "[w, b, u]"),
        ("('q_' in one.name) or ('d_' in one.name) or ('g_' in one.name)", "[w, b, v, u]"),
        ("'d_' in one.name and one.name.endswith('w:0')", None),
        ("one.name.startswith('d_') and not 'b' in one.name", "[w]"),
        ("'d_' not in one.name and 'g_' not in one.name", "[u]"),
        ("'w' in one.name and ('g_' in one.name or 'q_' in one.name)", "[v, u]"),
    ],
)
def test_conditions_of_several_words(test: str, mine: str | None) -> None:
    program = PROGRAM.replace("TEST", test)
    if mine is None:
        assert "chosen by their names" in stopped(program)
    else:
        assert f"mine = {mine}\n" in after(program)


def test_no_variable_of_which_it_holds() -> None:
    program = PROGRAM.replace("TEST", "'d_' in one.name and 'q_' in one.name")
    assert "no trainable variables are seen here" in stopped(program)
