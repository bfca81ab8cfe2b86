"""`--to keras`: functions that only make a recurrent cell; names of contrib.learn's model_fns."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import HEAD, PROGRAM, after, stopped

LAYER = "    logits = tf.layers.dense(features['x'], 3)\n"
MAKES = """
KEEP = 0.5


def make(size):
    cell = tf.nn.rnn_cell.BasicLSTMCell(size)
    return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=KEEP)

"""
READS = """    x = tf.expand_dims(features['x'], 1)
    cells = tf.nn.rnn_cell.MultiRNNCell([make(n) for n in (4, 5)])
    outputs, _ = tf.nn.dynamic_rnn(cells, x, dtype=tf.float32)
    logits = tf.layers.dense(outputs[:, -1], 3)
"""


def program(*changes: tuple[str, str]) -> str:
    text = PROGRAM.replace(HEAD, HEAD + MAKES, 1).replace(LAYER, READS)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "changes",
    [
        (),
        (("make(n)", "make(size=n)"),),
        (("[make(n) for n in (4, 5)]", "[make(4), make(5)]"),),
        (("    cell =", '    """A cell."""\n    cell ='),),
        (("    return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=KEEP)",
          "    return cell"),),
    ],
)  # fmt: skip
def test_a_function_that_only_makes_a_cell(changes: tuple[tuple[str, str], ...]) -> None:
    new = after(program(*changes))
    assert "def make" not in new
    assert "make(" not in new
    assert "MultiRNNCell([" in new


@pytest.mark.parametrize(
    "changes",
    [
        (("net.train(", "print(make)\nnet.train("),),
        (("make(n)", "make(len(str(n)))"),),
        (("for n in (4, 5)", "for KEEP in (4, 5)"), ("make(n)", "make(KEEP)")),
        (("    cell =", "    print('a cell')\n    cell ="),),
        (("    x =", "    KEEP = 0.9\n    x ="),),
    ],
)
def test_functions_that_do_more_stay(changes: tuple[tuple[str, str], ...]) -> None:
    stopped(program(*changes))
