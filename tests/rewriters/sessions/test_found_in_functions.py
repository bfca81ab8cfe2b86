"""Functions that find the variables that stand beside them: they read their names."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3, 4])
with tf.variable_scope("rnn"):
    w = tf.get_variable("w", [9, 5])
    b = tf.get_variable("b", [5])


def cell(x, h):
    with tf.variable_scope("rnn", reuse=True):
        w = tf.get_variable("w", [9, 5])
        b = tf.get_variable("b", [5])
    return tf.tanh(tf.matmul(tf.concat([x, h], 1), w) + b)


h = tf.zeros([2, 5])
for part in tf.unstack(x, axis=1):
    h = cell(part, h)
with tf.variable_scope("softmax"):
    w = tf.get_variable("w", [5, 2])
    b = tf.get_variable("b", [2])
loss = tf.reduce_mean(tf.matmul(h, w) + b)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {x: np.ones([2, 3, 4])})[0])
"""
CALL = "    h = cell(part, h)\n"


def test_names_that_mean_something_else_below_get_others() -> None:
    text = after(PROGRAM)
    assert (
        'rnn_w = tf.Variable(tf.keras.initializers.GlorotUniform()([9, 5]), name="rnn/w")' in text
    )
    assert (
        "def cell(x, h):\n"
        "    return tf.tanh(tf.matmul(tf.concat([x, h], 1), rnn_w) + rnn_b)\n" in text
    )
    assert "variables = [rnn_w, rnn_b, w, b]\n" in text


@pytest.mark.parametrize(
    ("edits", "gives"),
    [
        # nothing else is called so
        (
            {
                '    w = tf.get_variable("w", [5, 2])': '    v = tf.get_variable("w", [5, 2])',
                '    b = tf.get_variable("b", [2])': '    c = tf.get_variable("b", [2])',
                "(h, w) + b": "(h, v) + c",
            },
            "concat([x, h], 1), w) + b)",
        ),
        # it has another name in the function
        (
            {
                '        w = tf.get_variable("w", [9': '        u = tf.get_variable("w", [9',
                "1), w) + b": "1), u) + b",
            },
            "concat([x, h], 1), rnn_w) + rnn_b)",
        ),
        # what is computed stands in the scope, too
        ({"    return tf.tanh": "        return tf.tanh"}, "concat([x, h], 1), rnn_w) + rnn_b)"),
        # read between
        ({"h = tf.zeros": "print(w)\nh = tf.zeros"}, "print(rnn_w)\n"),
    ],
)
def test_other_names(edits: dict[str, str], gives: str) -> None:
    program = PROGRAM
    for old, new in edits.items():
        assert old in program
        program = program.replace(old, new)
    text = after(program)
    assert gives in text
    assert "def cell(x, h):\n    return tf.tanh" in text


def test_in_a_function() -> None:
    head, tail = PROGRAM.split("x = tf.pl", 1)
    inside = textwrap.indent("x = tf.pl" + tail, "    ")
    text = after(f"{head}\n\ndef main():\n{inside}\n\nmain()\n")
    assert "    def cell(x, h):\n        return tf.tanh" in text
    assert "1), rnn_w) + rnn_b)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # another scope stands around the call: TF 1 looks there
        (CALL, "    with tf.variable_scope('a'):\n        h = cell(part, h)\n"),
        # it is called again where the name means another variable
        ("loss = ", "h2 = cell(x[:, 0], h)\nloss = "),
        # another function reads the name
        (
            "h = tf.zeros",
            "def decayed(t):\n    return t + 0.0 * tf.reduce_sum(w)\n\n\nh = tf.zeros",
        ),
        # it is called by another function
        (CALL, "    h = (lambda p, s: cell(p, s))(part, h)\n"),
        # the name is bound again in the function
        ("    return tf.tanh", "    w = w * 2.0\n    return tf.tanh"),
        # there is none of that name
        ('        b = tf.get_variable("b", [5])', '        b = tf.get_variable("c", [5])'),
        # which scope it is is computed
        ('tf.variable_scope("rnn", reuse=True)', "tf.variable_scope(str(h.op.name), reuse=True)"),
    ],
)
def test_what_may_mean_another_variable_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))
