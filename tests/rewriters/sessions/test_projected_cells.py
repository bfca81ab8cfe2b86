"""Cells with projections and attention of contrib, and stacks in two directions.

Their numbers are those of fixtures/native/projected_cells.
"""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 5, 3])
a = tf.nn.rnn_cell.GRUCell(4)
b = tf.nn.rnn_cell.GRUCell(4)
MADE
loss = tf.reduce_mean(tf.square(out))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[[1.0, 2.0, 3.0]] * 5]})[0])
"""
RUN = "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)"
STACK = "tf.contrib.rnn.stack_bidirectional_dynamic_rnn"


@pytest.mark.parametrize(
    "cell",
    [
        "UGRNNCell(4, forget_bias=0.5)",
        "InputProjectionWrapper(a, 6)",
        "OutputProjectionWrapper(a, 2, activation=tf.tanh)",
        "AttentionCellWrapper(a, attn_length=3)",
    ],
)
def test_a_cell_of_the_file(cell: str) -> None:
    text = after(PROGRAM.replace("MADE", f"cell = tf.contrib.rnn.{cell}\n{RUN}"))
    assert f"cell = {cell}" in text
    assert f"class {cell.partition('(')[0]}(RNNCell):" in text


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("AttentionCellWrapper(a, 3, state_is_tuple=False)", "state_is_tuple"),
        ("OutputProjectionWrapper(a, 2, reuse=True)", "reuse"),
        ("InputProjectionWrapper(a, 2, input_size=3)", "input_size"),
    ],
)
def test_what_a_wrapper_is_told_otherwise(cell: str, why: str) -> None:
    assert why in stopped(PROGRAM.replace("MADE", f"cell = tf.contrib.rnn.{cell}\n{RUN}"))


def test_a_scope_that_starts_a_projection_keeps_the_session() -> None:
    made = (
        "with tf.variable_scope('s', initializer=tf.random_normal_initializer()):\n"
        f"    cell = tf.contrib.rnn.OutputProjectionWrapper(a, 2)\n    {RUN}"
    )
    assert "gives this its `initializer`" in stopped(PROGRAM.replace("MADE", made))


def test_a_stack_is_the_runs_that_it_is_made_of() -> None:
    text = after(PROGRAM.replace("MADE", f"out, _, _ = {STACK}([a], [b], x, dtype=tf.float32)"))
    assert 'scope="stack_bidirectional_rnn/cell_0/bidirectional_rnn")' in text
    assert "stacked = tf.concat([forward, backward], 2)" in text


def test_a_stack_of_lists_under_names_and_of_comprehensions() -> None:
    named = "many = [tf.nn.rnn_cell.GRUCell(3) for _ in range(2)]\n"
    here = "[tf.nn.rnn_cell.GRUCell(3) for _ in range(2)]"
    made = f"{named}out, _, _ = {STACK}(many, {here}, x, dtype=tf.float32)"
    text = after(PROGRAM.replace("MADE", made))
    assert "bidirectional_dynamic_rnn(many[1], cell_bw_2" in text
    assert "cell_bw_2 = GRUCell(3)" in text


def test_a_stack_of_a_list_that_gets_longer_keeps_the_session() -> None:
    made = f"cells = [a]\ncells.append(b)\nout, _, _ = {STACK}(cells, [b], x, dtype=tf.float32)"
    assert "aren't listed by their names" in stopped(PROGRAM.replace("MADE", made))
