"""Initializers that are functions of the program."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

scale = 2.0


def own(shape, dtype, partition_info=None):
    return tf.truncated_normal(shape, dtype=dtype) * tf.sqrt(scale / float(shape[0]))


def columns(std=1.0):
    def initializer(shape, dtype=None, partition_info=None):
        out = np.random.randn(*shape).astype(np.float32)
        return tf.constant(out * std)
    return initializer


x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("net"):
    w = tf.get_variable("w", [3, 4], initializer=own)
    b = tf.get_variable("b", shape=(4,), initializer=columns(0.1), dtype=tf.float32)
    h = tf.nn.relu(tf.matmul(x, w) + b)
    y = tf.layers.dense(h, 2, kernel_initializer=columns(), name="out")
loss = tf.reduce_mean(tf.square(y))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {x: np.ones([2, 3])})[1])
"""


def test_variables_and_layers_start_with_what_they_give() -> None:
    text = after(PROGRAM)
    assert 'w = tf.Variable(own([3, 4], dtype=tf.float32), name="net/w")' in text
    assert 'b = tf.Variable(columns(0.1)([4], dtype=tf.float32), name="net/b")' in text
    assert "tf.keras.layers.Dense(2, kernel_initializer=columns(), " in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # TF 1 stops: it names the type
        ("def own(shape, dtype, ", "def own(shape, kind=None, "),
        # it wants more than it is given
        ("def own(shape, dtype, partition_info=None)", "def own(shape, dtype, partition_info)"),
        # what TF 2 doesn't tell
        ("float(shape[0]))", "float(shape[0] if partition_info is None else 1))"),
        # Keras gives the name of a type
        ("dtype=dtype) * ", "dtype=dtype.base_dtype) * "),
        # a part of the graph
        ("float(shape[0]))\n", "float(shape[0])) * tf.reduce_mean(x)\n"),
        # it makes a variable
        ("    return tf.truncated", '    tf.get_variable("n", [])\n    return tf.truncated'),
        # an array, whose type is the variable's
        ("return tf.constant(out * std)", "return out * std"),
        # the shape isn't a list that is written
        ('"w", [3, 4]', '"w", np.array([3, 4])'),
        # a seed tells what is drawn, and when
        ("scale = 2.0", "scale = 2.0\nnp.random.seed(1)"),
        # of a loop's making
        ("    out = np.random", "    (yield 1)\n        out = np.random"),
        # another number by the time of the layer's first call
        (
            "out * std)\n    return initializer",
            "out * std * scale)\n    return initializer\n\n\nscale = 3.0",
        ),
    ],
)
def test_what_does_more_or_reads_more_keeps_the_session(old: str, new: str) -> None:
    assert PROGRAM.replace(old, new) != PROGRAM
    stopped(PROGRAM.replace(old, new))


def test_a_variable_that_starts_with_numbers_of_a_seed_draws_where_it_did() -> None:
    layer = "tf.layers.dense(h, 2, kernel_initializer=columns(), "
    source = PROGRAM.replace(layer, "tf.layers.dense(h, 2, ")
    assert "columns(0.1)" in after(source.replace("scale =", "np.random.seed(1)\nscale ="))


def test_a_cells_keeps_the_session() -> None:
    cell = "c = tf.nn.rnn_cell.LSTMCell(4, initializer=own)\n"
    cell += "o, _ = tf.nn.dynamic_rnn(c, tf.reshape(x, [-1, 1, 3]), dtype=tf.float32)\n"
    source = PROGRAM.replace("loss = ", cell + "loss = tf.reduce_mean(o) + ")
    stopped(source)
    scope = 'with tf.variable_scope("cells", initializer=own):\n    '
    inner = cell.replace(", initializer=own", "").replace("o, _", "    o, _")
    stopped(PROGRAM.replace("loss = ", scope + inner + "loss = tf.reduce_mean(o) + "))
