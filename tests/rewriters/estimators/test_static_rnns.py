"""`--to keras`: `static_rnn`, and lists of cells. (Numbers: fixtures/keras/static_rnns.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    x = tf.split(features, 2, 1)
    sizes = [3, 2]
BODY
    logits = tf.layers.dense(outputs[-1], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def dataset():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(dataset, steps=3)
"""
CELL = "tf.nn.rnn_cell.BasicLSTMCell"
SEVERAL = "tf.nn.rnn_cell.MultiRNNCell"
ONE = f"cell = {CELL}(4)"
RUN = "outputs, state = tf.nn.static_rnn(cell, x, dtype=tf.float32)"


def upgraded(*lines: str) -> tuple[Level | None, str, str]:
    text = PROGRAM.replace("BODY", "".join(f"    {line}\n" for line in lines)[:-1])
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        "outputs, _ = tf.contrib.rnn.static_rnn(cell=cell, inputs=x, dtype=tf.float32)  # all",
    ],
)
def test_static_rnn_is_dynamic_rnn_on_a_stack(run: str) -> None:
    level, after, said = upgraded(ONE, run)
    assert level is Level.NATIVE, said
    assert "= dynamic_rnn(self.cell, tf.stack(x, 1))" in after
    assert "        outputs = tf.unstack(outputs, len(x), axis=1)\n" in after


@pytest.mark.parametrize(
    ("made", "new"),
    [
        (f"[{CELL}(n) for n in sizes]", "MultiRNNCell([LSTMCell(n) for n in sizes])"),
        (f"[{CELL}(3), {CELL}(2)]", "MultiRNNCell([LSTMCell(3), LSTMCell(2)])"),
    ],
)
def test_a_list_of_cells_stands_in_its_cell(made: str, new: str) -> None:
    level, after, said = upgraded(f"cells = {made}", f"cell = {SEVERAL}(cells)", RUN)
    assert level is Level.NATIVE, said
    assert f"self.cell = {new}" in after
    assert "cells =" not in after.partition("class Model")[2]


GROWN = "for n in sizes:"
PUT = f"    cells.append({CELL}(n))"
READ = f"cell = {SEVERAL}(cells)"


@pytest.mark.parametrize(
    "body",
    [
        (PUT,),
        (f"    one = {CELL}(n)", "    cells.append(one)"),
    ],
)
def test_a_list_that_a_loop_fills_stands_in_its_cell(body: tuple[str, ...]) -> None:
    level, after, said = upgraded("cells = []", GROWN, *body, READ, RUN)
    assert level is Level.NATIVE, said
    assert "self.cell = MultiRNNCell([LSTMCell(n) for n in sizes])" in after


@pytest.mark.parametrize(
    "lines",
    [
        ("cells = []", GROWN, PUT, READ, RUN, "print(n)"),
        ("cells = []", GROWN, PUT, "    n = 2", READ, RUN),
        ("cells = []", GROWN, PUT, f"cell = {SEVERAL}(cells[:1])", RUN),
        ("cells = []", "for n in x:", PUT, READ, RUN),
        (f"cells = [{CELL}(2)]", GROWN, PUT, READ, RUN),
        (ONE, "x, state = tf.nn.static_rnn(cell, x, dtype=tf.float32)", "outputs = x"),
        (ONE, "outputs = tf.nn.static_rnn(cell, x, dtype=tf.float32)[0]"),
        (ONE, "outputs, s = tf.nn.static_rnn(cell, [x[0]], dtype=tf.float32)"),
        (ONE, "outputs, s = tf.nn.static_rnn(cell, x, None, tf.float32)"),
        (ONE, "a = 1; outputs, s = tf.nn.static_rnn(cell, x, dtype=tf.float32)"),
        (f"cells = [{CELL}(n) for n in sizes]", READ, RUN, "print(cells)"),
        (f"cells = [{CELL}(n) for n in sizes]", "sizes = [5]", READ, RUN),
        (f"cells = [{CELL}(n) for n in x]", READ, RUN),
    ],
)  # fmt: skip
def test_what_stays(lines: tuple[str, ...]) -> None:
    level, after, _ = upgraded(*lines)
    assert level is Level.COMPAT
    assert "static_rnn" in after


def test_what_a_comprehension_goes_through_is_of_a_run() -> None:
    """`n` is a tensor where a comprehension goes through tensors: no layer is made with it."""
    level, after, said = upgraded("outputs = [tf.layers.dense(features, n) for n in x]")
    assert level is Level.NATIVE, said
    assert "[named_dense(features, n) for n in x]" in after


DYNAMIC = "outputs, state = tf.nn.dynamic_rnn({}, tf.stack(x, 1), dtype=tf.float32)"


def test_cells_under_names_stand_in_the_one_that_reads_them() -> None:
    level, after, said = upgraded(
        f"one = {CELL}(4)",
        f"two = {CELL}(num_units=sizes[0])",
        f"both = {SEVERAL}([one, two])",
        DYNAMIC.format("both"),
        "outputs = tf.layers.dense(outputs[:, -1], both.output_size * 2)[None]",
    )
    assert level is Level.NATIVE, said
    assert "both.output_size" not in after
    assert "Dense(int(sizes[0] * 2))" in after


@pytest.mark.parametrize(
    "lines",
    [
        # One cell in both places has one set of variables.
        (f"one = {CELL}(4)", f"both = {SEVERAL}([one, one])", DYNAMIC.format("both")),
        # How wide it is may be another number by then, or that of a projection.
        (
            f"cell = {CELL}(sizes[0])",
            "sizes = [5]",
            DYNAMIC.format("cell"),
            "outputs = tf.layers.dense(outputs[:, -1], cell.output_size)[None]",
        ),
        (
            "cell = tf.nn.rnn_cell.LSTMCell(4, num_proj=2)",
            DYNAMIC.format("cell"),
            "outputs = tf.layers.dense(outputs[:, -1], cell.output_size)[None]",
        ),
    ],
)
def test_cells_whose_width_is_not_seen(lines: tuple[str, ...]) -> None:
    assert upgraded(*lines)[0] is Level.COMPAT
