"""Functions that make cells beside variables and layers: what they give lists all of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

CELLS = {
    "cell": "cell = tf.nn.rnn_cell.GRUCell(5)",
    "list": "cells = [tf.nn.rnn_cell.BasicLSTMCell(5) for _ in range(2)]\n"
    "    cell = tf.nn.rnn_cell.MultiRNNCell(cells)",
}
ENDS = {
    "layer": "return tf.layers.dense(outputs[:, -1], 3)",
    "weights": "w = tf.get_variable('w', [5, 3])\n    return tf.matmul(outputs[:, -1], w)",
}
PROGRAM = """\
import tensorflow as tf


def network(ids):
    table = tf.get_variable('embedding', [9, 4])
    inputs = tf.nn.embedding_lookup(table, ids)
    {cells}
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    {end}


ids = tf.placeholder(tf.int32, [None, 5])
loss = tf.reduce_mean(tf.square(network(ids)))
tvars = {listed}
grads, _ = tf.clip_by_global_norm(tf.gradients(loss, tvars), 1.0)
train = tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(grads, tvars))
seen = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        seen.append(sess.run([loss, train], {{ids: [[1, 2, 3, 4, 8]]}})[0])
"""


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("end", ENDS)
def test_all_of_them_are_trained(cells: str, end: str) -> None:
    source = PROGRAM.format(cells=CELLS[cells], end=ENDS[end], listed="tf.trainable_variables()")
    text = after(source)
    assert "apply.variables = lambda: [table, *cell.variables, " in text
    known: dict[str, Any] = {}
    exec(text, known)
    first, *_, last = known["seen"]
    assert last < first


def test_what_is_not_listed_has_no_list() -> None:
    source = PROGRAM.format(cells=CELLS["cell"], end=ENDS["layer"], listed="")
    plain = source.replace("tvars = \n", "").replace("grads, _ = ", "#")
    plain = plain.replace("apply_gradients(zip(grads, tvars))", "minimize(loss)")
    assert "apply.variables" not in after(plain)


def test_their_names_are_not_printed() -> None:
    """They are there once the network was called, and in another order."""
    source = PROGRAM.format(
        cells=CELLS["cell"], end=ENDS["layer"], listed="tf.trainable_variables()"
    )
    assert "names" in stopped(source + "for v in tvars:\n    print(v.name)\n")


def test_a_function_around_such_a_one() -> None:
    source = PROGRAM.format(
        cells=CELLS["cell"], end=ENDS["layer"], listed="tf.trainable_variables()"
    )
    outer = "\n\ndef model(ids):\n    return network(ids) * 2.0\n\n\nids = "
    source = source.replace("\n\nids = ", outer).replace("square(network(", "square(model(")
    assert "some of which have no name" in stopped(source)
