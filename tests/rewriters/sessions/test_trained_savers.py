"""``tf.train.Saver(tf.trainable_variables())``: of functions' layers, variables and cells, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def network(x):
    {made}


x = tf.placeholder({x})
logits = network(x)
loss = tf.reduce_mean(tf.square(logits))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver(tf.trainable_variables())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{x: {fed}}})
    first = sess.run(loss, {{x: {fed}}})
    saver.save(sess, FOLDER + "/m")
    sess.run(train, {{x: {fed}}})
    other = sess.run(loss, {{x: {fed}}})
    saver.restore(sess, FOLDER + "/m")
    last = sess.run(loss, {{x: {fed}}})
"""
FLOATS = {"x": "tf.float32, [None, 3]", "fed": "[[1.0, 2.0, 3.0]]"}
IDS = {"x": "tf.int32, [None, 3]", "fed": "[[1, 2, 3]]"}
LAYERS = "return tf.layers.dense(tf.layers.dense(x, 2, name='a'), 2, name='b')"
WEIGHTS = """\
w = {'h': tf.Variable(tf.ones([3, 4]), name='h'), 'o': tf.Variable(tf.ones([4, 2]), name='o')}
    return tf.matmul(tf.matmul(x, w['h']), w['o'])"""
VARIABLES = "w = tf.get_variable('w', [3, 2])\n    return tf.matmul(x, w)"
CELLS = """\
table = tf.get_variable('table', [5, 4])
    inputs = tf.nn.embedding_lookup(table, x)
    cell = tf.nn.rnn_cell.GRUCell(2)
    outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    return tf.layers.dense(state, 2)"""


@pytest.mark.parametrize(
    ("made", "given"),
    [(LAYERS, FLOATS), (WEIGHTS, FLOATS), (VARIABLES, FLOATS), (CELLS, IDS)],
    ids=["layers", "weights", "variables", "cells"],
)
def test_what_a_function_makes_is_saved_and_restored(
    made: str, given: dict[str, str], tmp_path: Path
) -> None:
    known: dict[str, Any] = {"FOLDER": str(tmp_path)}
    exec(after(PROGRAM.format(made=made, **given)), known)
    assert known["first"] != known["other"]
    assert known["first"] == known["last"]


def test_a_layer_that_has_more_than_what_is_trained() -> None:
    """TF 1 leaves the averages out, which Keras saves with the layer."""
    made = "return tf.layers.batch_normalization(tf.layers.dense(x, 2), training=True)"
    assert "which has more" in stopped(PROGRAM.format(made=made, **FLOATS))
