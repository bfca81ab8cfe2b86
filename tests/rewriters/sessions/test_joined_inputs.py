"""Functions that take a tensor or several, and that are shaped by what they are given."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

ATTEND = """\
def attend(inputs, size, time_major=False, both=False):
    \"\"\"Rows, weighted.\"\"\"
    if isinstance(inputs, tuple):
        inputs = tf.concat(inputs, 2)
    if time_major:
        inputs = tf.transpose(inputs, [1, 0, 2])
    hidden = inputs.shape[2].value
    w = tf.Variable(tf.random_normal([hidden, size], stddev=0.1))
    u = tf.Variable(tf.random_normal([size], stddev=0.1))
    alphas = tf.nn.softmax(tf.tensordot(tf.tanh(tf.tensordot(inputs, w, axes=1)), u, axes=1))
    output = tf.reduce_sum(inputs * tf.expand_dims(alphas, -1), 1)
    if not both:
        return output
    else:
        return output, alphas


"""
HEAD = """\
import numpy as np
import tensorflow as tf
"""
REST = """\
x = tf.placeholder(tf.float32, [None, 4, 2])
first, second = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(3)
out, _ = tf.nn.bidirectional_dynamic_rnn(first, second, x, dtype=tf.float32)
y = attend(out, 5)
loss = tf.reduce_sum(tf.square(y))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: np.ones([2, 4, 2])})[0])
"""
PROGRAM = f"{HEAD}\n\n{ATTEND}{REST}"


def test_two_outputs_are_joined_where_they_are_given() -> None:
    text = after(PROGRAM)
    assert "attend(tf.concat(out, 2))" in text or "layer(tf.concat(out, 2))" in text
    assert "isinstance" not in text
    assert "hidden = input_shape[2]" in text


def test_one_tensor_is_taken_as_it_is() -> None:
    text = after(PROGRAM.replace("attend(out, 5)", "attend(out[0], 5)"))
    assert "isinstance" not in text
    assert "tf.concat(" not in text.partition("class Attend")[2]


def test_a_branch_of_a_shaped_input_that_all_calls_decide() -> None:
    assert stopped(PROGRAM.replace("attend(out, 5)", "attend(out, 5, True)"))
    assert "transpose" not in after(PROGRAM).partition("class Attend")[2].partition("x = ")[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.concat(inputs, 2)", "inputs[0]"),
        ("    if isinstance(", "    inputs = inputs\n    if isinstance("),
        ("y = attend(out, 5)", "y = attend(out, 5) + attend(out, 5)"),
        ("y = attend(out, 5)", "y = attend(out, 5, size > 2)"),
    ],
)
def test_what_isnt_told_by_one_call(old: str, new: str) -> None:
    assert stopped(PROGRAM.replace(old, new).replace("x = tf", "size = 3\nx = tf", 1))


def test_a_function_of_another_file() -> None:
    files = {
        "attention.py": f"import tensorflow as tf\n\n\n{ATTEND}",
        "train.py": f"{HEAD}from attention import attend\n\n{REST}",
    }
    for result in texts({k: v.encode() for k, v in files.items()}, Options()):
        assert result.level is Level.NATIVE, [f.message for f in result.left]
