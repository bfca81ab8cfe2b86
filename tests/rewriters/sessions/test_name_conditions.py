"""Lists of variables by conditions of several words on their names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

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


GIVEN = """\
import tensorflow as tf


def penalty(variables, scale):
    return scale * tf.add_n([tf.nn.l2_loss(v) for v in variables if "bias" not in v.name])


x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
b = tf.Variable(tf.ones([2]), name="bias")
out = tf.matmul(x, w) + b
t_vars = tf.trainable_variables()
loss = tf.reduce_mean(tf.square(out)) + penalty(t_vars, 0.1)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]})[0])
    print(sess.run([w, b]))
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("t_vars = tf.trainable_variables()", "t_vars = [w, b]"),
        # TF 1 calls it "Variable", as TF 2 does: neither has the word
        (', name="bias")', ")"),
        ("t_vars, 0.1)", "scale=0.1, variables=t_vars)"),
    ],
)
def test_a_condition_on_names_in_a_list_that_a_function_is_given(old: str, new: str) -> None:
    text = after(GIVEN.replace(old, new))
    assert 'for v in variables if "bias" not in v.name])\n' in text
    assert "t_vars = [w, b]\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # TF 1 calls them "Variable" and "Variable_1", TF 2 both "Variable"
        ('"bias" not', '"_1" not'),
        ("penalty(t_vars, 0.1)", "penalty(t_vars, 0.1) + penalty(list(reversed(t_vars)), 0.2)"),
    ],
)
def test_one_that_may_say_something_else_keeps_the_session(old: str, new: str) -> None:
    program = GIVEN.replace(old, new).replace(', name="bias"', "")
    two = "c = tf.Variable(tf.ones([2]))\nout = tf.matmul(x, w) + b + c"
    assert stopped(program.replace("out = tf.matmul(x, w) + b", two))
