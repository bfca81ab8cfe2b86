"""Cells of float64: their variables have the type of what they are applied to."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

x = tf.placeholder({kind}, [None, 5, 3])
cell = {cell}
out, state = {call}
loss = tf.reduce_mean(out)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {{x: np.ones((2, 5, 3))}}))
"""
TYPED = "            self.dtype = inputs.dtype\n"


def program(call: str, cell: str = "rnn.BasicLSTMCell(4)", kind: str = "tf.float64") -> str:
    return PROGRAM.format(call=call, cell=cell, kind=kind)


@pytest.mark.parametrize("kind", ["tf.float64", "'float64'", "np.float64", "x.dtype"])
def test_loops_of_doubles(kind: str) -> None:
    text = after(program(f"tf.nn.dynamic_rnn(cell, x, dtype={kind})"))
    assert "out, state = dynamic_rnn(cell, x)\n" in text
    assert TYPED in text
    assert "glorot_uniform([depth + units, 4 * units], dtype=self.dtype)" in text
    assert "tf.zeros([4 * units], self.dtype)" in text


def test_the_input_tells_where_nothing_else_does() -> None:
    call = "tf.nn.dynamic_rnn(cell, x, initial_state=cell.zero_state(2, tf.float64))"
    assert TYPED in after(program(call))
    assert TYPED in after(program("cell(x[:, 0], cell.zero_state(2, tf.float64))"))
    own = program("tf.nn.dynamic_rnn(cell, x, dtype=x.dtype)", "rnn.GRUCell(4, dtype='double')")
    assert "cell = GRUCell(4)\n" in after(own)


def test_a_state_that_is_fed_has_the_type() -> None:
    source = program("tf.nn.dynamic_rnn(cell, x, initial_state=start)").replace(
        "out, state", "start = cell.zero_state(tf.shape(x)[0], tf.float64)\nout, state"
    )
    source += "    last = sess.run(start, {x: np.ones((2, 5, 3))})\n"
    source += "    sess.run(loss, {x: np.ones((2, 5, 3)), start: last})\n"
    assert "cell.state_spec(tf.float64)" in after(source)


@pytest.mark.parametrize("kind", ["x.dtype", "tf.float32"])
def test_floats_stay_as_they_were(kind: str) -> None:
    text = after(program(f"tf.nn.dynamic_rnn(cell, x, dtype={kind})", kind="tf.float32"))
    assert "out, state = dynamic_rnn(cell, x)\n" in text
    assert "self.dtype" not in text
    assert "glorot([depth + units, 4 * units])" in text


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("rnn.LayerNormBasicLSTMCell(4)", "tf.float64"),
        ("rnn.BasicLSTMCell(4)", "tf.float16"),
        ("rnn.GRUBlockCellV2(4)", "x.dtype"),
    ],
)
def test_other_cells_and_types_keep_the_session(cell: str, kind: str) -> None:
    reason = stopped(program(f"tf.nn.dynamic_rnn(cell, x, dtype={kind})", cell))
    assert reason == "7: a cell of another type than float32"


def test_a_type_that_is_not_seen_keeps_the_session() -> None:
    source = program("tf.nn.dynamic_rnn(cell, x, dtype=kind)").replace(
        "cell =", "kind = tf.as_dtype('float' + '64')\ncell =", 1
    )
    assert stopped(source) == "8: a cell of another type than float32"
