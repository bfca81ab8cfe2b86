"""All trainable variables, cells' among them: there once a run has called the cells."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 5, 4])
{net}
l2 = sum(1e-3 * tf.nn.l2_loss(v) for v in tf.trainable_variables())
loss = tf.reduce_mean(tf.square(net)) + l2
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
{runs}
"""
LOOP = """\
net = x
for n in range(2):
    net, _ = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(4), net, dtype=tf.float32, scope='rnn_%d' % n)
"""
ONE = "cell = tf.nn.rnn_cell.GRUCell(4)\nnet, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
STEP = "    sess.run(train, {x: np.ones((2, 5, 4))})\n"
ALONE = "    print(sess.run(l2))\n"
LATE = "all variables of layers, which are made at their first call"


def program(net: str, runs: str = STEP) -> str:
    return PROGRAM.format(net=net, runs=runs)


def test_the_cells_of_a_loop_are_a_list() -> None:
    text = after(program(LOOP))
    assert "cells = [GRUCell(4) for _ in range(2)]\n" in text
    assert "for cell in cells for v in cell.trainable_variables)" in text


def test_a_penalty_after_a_run_that_has_called_the_cell() -> None:
    assert "for v in [*cell.trainable_variables])" in after(program(ONE, STEP + ALONE))


def test_a_penalty_before_any_run_calls_the_cell_keeps_the_session() -> None:
    assert stopped(program(ONE, ALONE + STEP)).endswith(LATE)
    assert stopped(program(LOOP, ALONE + STEP)).endswith(LATE)


def test_a_list_under_a_condition_keeps_the_session() -> None:
    all_of = "tf.trainable_variables()"
    chosen = program(LOOP).replace(all_of, f"[v for v in {all_of} if 'bias' not in v.name]")
    assert "the name of one isn't seen" in stopped(chosen)
