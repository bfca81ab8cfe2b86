"""A second decoder whose cells find the variables of the first one's."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq


def cell(size, reuse=False):
    return tf.nn.rnn_cell.GRUCell(size, reuse=reuse)


x = tf.placeholder(tf.float32, [None, 3, 4])
lengths = tf.placeholder(tf.int32, [None])
size = tf.shape(x)[0]
table = tf.get_variable("table", [5, 4])
units = 4
with tf.variable_scope("decode"):
    mechanism = seq2seq.LuongAttention(units, x)
    speaker = seq2seq.AttentionWrapper(cell(4), mechanism, 4)
    start = speaker.zero_state(size, tf.float32)
    helper = seq2seq.TrainingHelper(x, lengths)
    decoder = seq2seq.BasicDecoder(speaker, helper, start, tf.layers.Dense(5))
    out, _, _ = seq2seq.dynamic_decode(decoder)
twice = x * 2.0
with tf.variable_scope("decode", reuse=True):
    mechanism = seq2seq.LuongAttention(units, twice, lengths)
    speaker = seq2seq.AttentionWrapper(cell(4, reuse=True), mechanism, 4)
    start = speaker.zero_state(size, tf.float32)
    greedy = seq2seq.GreedyEmbeddingHelper(table, tf.fill([size], 1), 2)
    writer = seq2seq.BasicDecoder(speaker, greedy, start, tf.layers.Dense(5, _reuse=True))
    written, _, _ = seq2seq.dynamic_decode(writer, maximum_iterations=4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.ones((2, 3, 4)), lengths: [3, 2]}
    print(sess.run(out.rnn_output, feed), sess.run(written.sample_id, feed))
"""


def test_both_decoders_have_one_cell_and_one_layer() -> None:
    text = after(PROGRAM)
    assert "def cell(size):\n    return GRUCell(size)\n" in text
    assert text.count("AttentionWrapper(cell(4), mechanism, 4)") == 1
    assert text.count("tf.keras.layers.Dense(5)") == 1
    assert 'dynamic_decode(decoder, scope="decode/decoder", memory=x)' in text
    assert "memory=twice, memory_sequence_length=lengths)" in text


def test_cells_that_do_not_attend_are_one_too() -> None:
    head, _, rest = PROGRAM.partition("def cell")
    text = head + rest[rest.index("x = tf") :]
    text = "".join(line for line in text.splitlines(True) if "mechanism = " not in line)
    text = text.replace("seq2seq.AttentionWrapper(", "").replace(", mechanism, 4)", "")
    text = after(text.replace("= cell(", "= tf.nn.rnn_cell.GRUCell("))
    assert text.count("speaker = GRUCell(4)\n") == 1
    assert "memory" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cell(4, reuse=True)", "cell(5, reuse=True)"),
        ("twice = x * 2.0\n", "twice = x * 2.0\nunits = 3\n"),
        ("twice = x * 2.0\n", "twice = x * 2.0\nspeaker = cell(4)\n"),
        ("twice, lengths)\n", "twice, lengths)\n    twice = x\n"),
        ("twice, lengths)", "x * 2.0, lengths)"),
        ("Dense(5, _reuse=True)", "Dense(6, _reuse=True)"),
        ('"decode", reuse=True', '"other", reuse=True'),
    ],
)
def test_what_differs_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "a cell with `reuse`" in stopped(PROGRAM.replace(old, new))


def test_both_decoders_may_attend_in_two_ways() -> None:
    text = PROGRAM
    for wrapped, memory in (("cell(4)", "x"), ("cell(4, reuse=True)", "twice, lengths")):
        one = f"    speaker = seq2seq.AttentionWrapper({wrapped}, mechanism, 4)\n"
        more = (
            f"    first = seq2seq.AttentionWrapper({wrapped}, mechanism, 4)\n"
            f"    mechanism = seq2seq.BahdanauAttention(units, {memory})\n"
            f"    second = seq2seq.AttentionWrapper({wrapped}, mechanism, 4)\n"
            "    speaker = tf.nn.rnn_cell.MultiRNNCell([first, second])\n"
        )
        assert one in text
        text = text.replace(one, more)
    native = after(text)
    assert native.count("MultiRNNCell([first, second])") == 1
    assert "memory=twice, memory_sequence_length=lengths)" in native
    assert stopped(text.replace("BahdanauAttention(units, twice", "BahdanauAttention(units, x"))


def _with_other_names(text: str) -> str:
    """The program whose second decoder has names of its own."""
    head, scope, rest = text.partition('with tf.variable_scope("decode", reuse=True):')
    return head + scope + rest.replace("speaker", "teller").replace("mechanism", "looking")


def test_the_second_decoder_may_have_names_of_its_own() -> None:
    text = after(_with_other_names(PROGRAM))
    assert text.count("AttentionWrapper(cell(4), mechanism, 4)") == 1
    assert "teller" not in text
    assert "looking" not in text
    assert "BasicDecoder(speaker, greedy, " in text


def test_names_that_are_read_behind_it_keep_the_session() -> None:
    text = _with_other_names(PROGRAM) + "print(teller)\n"
    assert "a cell with `reuse`" in stopped(text)


HELPER = """\
def attending(memory, lengths=None, reuse=False):
    mechanism = seq2seq.LuongAttention(units, memory, lengths)
    return seq2seq.AttentionWrapper(cell(4, reuse), mechanism, 4)


"""


def _with_a_helper(first: str, second: str) -> str:
    """The program whose decoders have their cells from one function."""
    lines = [line for line in PROGRAM.splitlines(True) if "    mechanism = " not in line]
    text = "".join(lines).replace("x = tf.placeholder", HELPER + "x = tf.placeholder", 1)
    text = text.replace("seq2seq.AttentionWrapper(cell(4), mechanism, 4)", first)
    return text.replace("seq2seq.AttentionWrapper(cell(4, reuse=True), mechanism, 4)", second)


def test_a_helper_that_hands_its_flag_on() -> None:
    text = after(_with_a_helper("attending(x)", "attending(twice, lengths, reuse=True)"))
    assert "attending" not in text
    assert text.count("AttentionWrapper(cell(4), mechanism, 4)") == 1
    assert "memory=twice, memory_sequence_length=lengths)" in text
    assert text == after(_with_a_helper("attending(x)", "attending(twice, lengths, True)"))


def test_a_helper_of_three_decoders_keeps_the_session() -> None:
    text = _with_a_helper("attending(x)", "attending(twice, lengths, reuse=True)")
    third = 'with tf.variable_scope("decode", reuse=True):\n    attending(x, reuse=True)\n'
    more = text.replace("with tf.Session()", third + "with tf.Session()")
    assert "a cell with `reuse`" in stopped(more)
