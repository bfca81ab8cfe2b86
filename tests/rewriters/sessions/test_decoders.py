"""Decoders, shares to keep that functions hand on, states that are fed part by part."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3, 4])
keep = tf.placeholder(tf.float32)
"""
TAIL = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: np.zeros([2, 3, 4]), keep: 1.0}))
"""
MAKER = """\
def make(n, share):
    cell = tf.nn.rnn_cell.GRUCell(n)
    return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=share)
"""
STATES = """\
cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(4) for _ in range(2)])
zero = cell.zero_state(2, tf.float32)
out, last = tf.nn.dynamic_rnn(cell, x, initial_state=zero)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    state = sess.run(zero)
    feed = {x: np.zeros([2, 3, 4])}
"""
RUN = "    value, state = sess.run([out, last], feed)\n"
DECODER = """\
cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.GRUCell(4), output_keep_prob=keep)
zero = cell.zero_state(2, tf.float32)
outs, _ = tf.contrib.legacy_seq2seq.rnn_decoder(tf.unstack(x, axis=1), zero, cell{more})
out = tf.stack(outs)
"""


def upgrade(text: str) -> FileResult:
    (result,) = texts({"program.py": text.encode()}, Options())
    return result


def after(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def stopped(text: str) -> str:
    result = upgrade(text)
    assert result.level is Level.COMPAT
    return "\n".join(f.message for f in result.left if f.rule == "TFM420")


def test_a_share_that_is_fed_goes_from_the_function_that_makes_cells() -> None:
    middle = MAKER + "out, _ = tf.nn.dynamic_rnn(make(4, keep), x, dtype=tf.float32)\n"
    text = after(HEAD + middle + TAIL)
    assert "def make(n):" in text
    assert "dynamic_rnn(make_cell, x" in text or "make(4)" in text
    assert "output_keep_prob=keep)" in text


@pytest.mark.parametrize("first", ["1.0", "keep"])
def test_a_maker_that_is_given_a_number_once_keeps_the_session(first: str) -> None:
    second = "keep" if first == "1.0" else "1.0"
    middle = MAKER + (
        f"a, _ = tf.nn.dynamic_rnn(make(4, {first}), x, dtype=tf.float32, scope='a')\n"
        f"b, _ = tf.nn.dynamic_rnn(make(4, {second}), x, dtype=tf.float32, scope='b')\n"
        "out = a + b\n"
    )
    assert "is fed at some calls and a number at others" in stopped(HEAD + middle + TAIL)


def test_a_builder_that_returns_its_cell_stands_where_it_is_called() -> None:
    middle = (
        "def build(n, share):\n"
        "    def make(share):\n"
        "        cell = tf.nn.rnn_cell.GRUCell(n)\n"
        "        return tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=share)\n"
        "    cell = tf.nn.rnn_cell.MultiRNNCell([make(share) for _ in range(2)])\n"
        "    return cell, cell.zero_state(2, tf.float32)\n"
        "cell, zero = build(4, keep)\n"
        "out, _ = tf.nn.dynamic_rnn(cell, x, initial_state=zero)\n"
    )
    text = after(HEAD + middle + TAIL)
    assert "def make():" in text
    assert "def build(n" not in text
    assert "zero = cell.zero_state(2, tf.float32)" in text


@pytest.mark.parametrize(
    "loop",
    [
        "for i, (c, h) in enumerate(zero):\n"
        "        feed[c] = state[i].c\n        feed[h] = state[i].h",
        "for i, v in enumerate(zero):\n        feed[v] = state[i]",
        "for (c, h), one in zip(zero, state):\n        feed[h] = one[1]\n        feed[c] = one.c",
    ],
)
def test_a_state_that_is_fed_part_by_part_is_fed(loop: str) -> None:
    text = after(HEAD + STATES + f"    {loop}\n" + RUN)
    assert 'feed["zero"] = state' in text
    assert "enumerate(zero)" not in text
    assert "zip(zero" not in text


@pytest.mark.parametrize(
    "loop",
    [
        "for i, (c, h) in enumerate(zero):\n"
        "        feed[c] = state[i].h\n        feed[h] = state[i].c",
        "for i, (c, h) in enumerate(zero):\n        feed[c] = state[i].c",
        "for i, v in enumerate(zero):\n        feed[v] = state[1 - i]",
        "for i, v in enumerate(zero):\n        # by layer\n        feed[v] = state[i]",
        "for i, v in enumerate(zero):\n        feed[v] = state[i]\n    print(i)",
    ],
)
def test_other_loops_that_feed_a_state_keep_the_session(loop: str) -> None:
    reasons = ("a constant is fed", "a state is fed part by part")
    assert stopped(HEAD + STATES + f"    {loop}\n" + RUN).endswith(reasons)


def test_a_decoder_without_a_loop_function_has_none() -> None:
    for more in ("", ", loop_function=None", ", None"):
        text = after(HEAD + DECODER.format(more=more) + TAIL)
        assert "loop_function" not in text
        assert "output_keep_prob=keep)" in text


def test_a_loop_function_that_draws_keeps_the_session() -> None:
    middle = "def again(prev, i):\n    return tf.nn.dropout(prev, 0.5)\n" + DECODER.format(
        more=", loop_function=again"
    )
    assert "does more than compute" in stopped(HEAD + middle + TAIL)
