"""Cells that attend: over time, of functions, in the rounds of a loop; what they look at."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

x = tf.placeholder(tf.float32, [None, 3, 4])
lengths = tf.placeholder(tf.int32, [None])
"""
CELL = """\
mechanism = seq2seq.LuongAttention(4, x)
cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), mechanism, 4)
"""
OVER_TIME = "net, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n"
FUNCTION = """\


def attend(memory, ends, size):
    mechanism = seq2seq.LuongAttention(size, memory, ends)
    return seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(size), mechanism, size)


"""
LOOP = """\
net = x
for n in range(2):
    net, _ = tf.nn.dynamic_rnn(attend(net, lengths, 4), net, dtype=tf.float32, scope='rnn_%d' % n)
"""
BOTH = """\
(fw, bw), _ = tf.nn.bidirectional_dynamic_rnn({}, {}, x, dtype=tf.float32)
net = fw + bw
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net, {x: np.ones((2, 3, 4)), lengths: [3, 2]}))
"""


def test_a_memory_is_given_where_a_cell_runs_over_time() -> None:
    text = after(HEAD + CELL + OVER_TIME + RUN)
    assert "mechanism = LuongAttention(4)\n" in text
    assert "dynamic_rnn(cell, x, memory=x)" in text
    assert "memory_sequence_length" not in text


def test_lengths_of_a_memory_go_with_it() -> None:
    text = after(HEAD + CELL.replace("4, x)", "4, x, lengths)") + OVER_TIME + RUN)
    assert "dynamic_rnn(cell, x, memory=x, memory_sequence_length=lengths)" in text


def test_a_function_is_no_longer_given_the_memory() -> None:
    made = FUNCTION + "cell = attend(x, lengths, 4)\n"
    text = after(HEAD + made + OVER_TIME + RUN)
    assert "def attend(size):\n    mechanism = LuongAttention(size)\n" in text
    assert "cell = attend(4)\n" in text
    assert "dynamic_rnn(cell, x, memory=x, memory_sequence_length=lengths)" in text


def test_cells_of_a_loop_are_made_before_it_and_given_what_a_round_has() -> None:
    text = after(HEAD + FUNCTION + LOOP + RUN)
    assert "cells = [attend(4) for _ in range(2)]\n" in text
    assert "memory=net, memory_sequence_length=lengths" in text


def test_a_function_in_a_loop_may_read_the_memory_itself() -> None:
    function = FUNCTION.replace("memory, ends, ", "").replace("memory, ends)", "net)")
    text = after(HEAD + function + LOOP.replace("net, lengths, 4", "4") + RUN)
    assert "def attend(size):\n    mechanism = LuongAttention(size)\n" in text
    assert "memory=net)" in text


def test_two_directions_attend_to_one_memory() -> None:
    text = after(HEAD + FUNCTION + BOTH.format(*["attend(x, lengths, 4)"] * 2) + RUN)
    assert "x, memory=x, memory_sequence_length=lengths)" in text


def test_parts_of_a_state_that_attends_have_numbers_too() -> None:
    more = "net += tf.reduce_sum(state[0]) + tf.reduce_sum(state[1])\n"
    assert "tf.reduce_sum(state[1])" in after(HEAD + CELL + OVER_TIME + more + RUN)


@pytest.mark.parametrize(
    ("read", "native"),
    [
        ("print(last.cell_state, last[1])", True),
        ("print(len(last))", False),
        ("print(last[-1])", False),
        ("print(last.time)", False),
        ("for part in last:\n        print(part)", False),
    ],
)
def test_of_a_fetched_state_only_what_both_have_is_read(read: str, native: bool) -> None:
    run = RUN.replace("print(sess.run(net, ", "last, _ = sess.run([state, net], ").replace(
        "}))", "})"
    )
    program = HEAD + CELL + OVER_TIME + run + f"    {read}\n"
    if native:
        assert read in after(program)
    else:
        assert "an attention's state, of which TF 1 has more" in stopped(program)
    whole = HEAD + CELL + OVER_TIME + RUN.replace("sess.run(net", "sess.run(state")
    assert "an attention's state, of which TF 1 has more" in stopped(whole)
    part = whole.replace("[3, 2]}))", "[3, 2]}).cell_state)")
    assert ".cell_state" in after(part)
    both = whole.replace("net, state = ", "state = ")
    assert "an attention's state, of which TF 1 has more" in stopped(both)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (CELL + OVER_TIME + "net += state[-1]\n", "an item of an attention's state"),
        (CELL + OVER_TIME + "for s in state:\n    net += s\n", "the parts of an attention's state"),
        (CELL + "x = x * 2.0\n" + OVER_TIME, "`x` means something else by now"),
        (
            CELL + "net, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)\n",
            "a cell with attention in static_rnn",
        ),
        (
            CELL + "first = tf.zeros([2, 4])\n" + OVER_TIME.replace("x, d", "x, None, first, d"),
            "the first state of a decoder",
        ),
        (
            FUNCTION + BOTH.format("attend(x, lengths, 4)", "attend(x * 1.0, lengths, 4)"),
            "`memory` of an attention mechanism has no name",
        ),
        (
            FUNCTION + BOTH.format("attend(x, lengths, 4)", "attend(x, None, 4)"),
            "cells that attend to different things",
        ),
        (
            FUNCTION + BOTH.format("attend(x, lengths, 4)", "tf.nn.rnn_cell.GRUCell(4)"),
            "of two cells only one attends",
        ),
        (
            FUNCTION.replace("    return", "    print(memory)\n    return") + LOOP,
            "cells that are made in a loop",
        ),
        (
            FUNCTION.replace("memory, ends, ", "").replace("memory, ends)", "net)")
            + LOOP.replace("net, lengths, 4", "4")
            + "net, _ = tf.nn.dynamic_rnn(attend(4), net, dtype=tf.float32, scope='last')\n",
            "cells that are made in a loop",
        ),
    ],
)
def test_what_attends_otherwise_keeps_the_session(program: str, reason: str) -> None:
    assert reason in stopped(HEAD + program + RUN)


HISTORY = CELL.replace("mechanism, 4)", "mechanism, 4, alignment_history=True)")
LOOKED = "net = tf.transpose(state.alignment_history.stack(), [1, 2, 0])\n"


def test_what_a_cell_has_looked_at_is_kept_step_by_step() -> None:
    text = after(HEAD + HISTORY + OVER_TIME + LOOKED + RUN)
    assert "cell = AttentionWrapper(GRUCell(4), mechanism, 4, alignment_history=True)\n" in text
    assert "history = history.write(history.size(), alignments)" in text
    assert "return tf.transpose(state.alignment_history.stack(), [1, 2, 0])" in text
    assert "lambda t, *_: t < steps, step," in text


def test_it_ends_with_the_longest_sequence() -> None:
    over_time = OVER_TIME.replace("x, dtype", "x, lengths, dtype")
    text = after(HEAD + HISTORY + over_time + LOOKED + RUN)
    assert "lambda t, *_: t < end, step," in text
    text = after(HEAD + HISTORY.replace("=True", "=False") + over_time + RUN)
    assert "lambda t, *_: t < steps, step," in text
    assert "alignment" not in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("history=True", "history=len('ab') > 1", "`alignment_history` of AttentionWrapper"),
        (".stack()", ".read(0)", "`.read()` of an attention's history isn't followed"),
        ("sess.run(net", "sess.run(state", "of which TF 1 has more, is fetched"),
    ],
)
def test_other_uses_of_a_history_keep_the_session(old: str, new: str, reason: str) -> None:
    assert reason in stopped((HEAD + HISTORY + OVER_TIME + LOOKED + RUN).replace(old, new))


def test_a_state_with_a_history_cant_be_fetched_whole() -> None:
    source = HEAD + HISTORY + OVER_TIME + RUN.replace("sess.run(net, ", "sess.run(state, ")
    source = source.replace("[3, 2]}))", "[3, 2]}).attention)")
    assert "of which TF 1 has more, is fetched" in stopped(source)
    assert ".attention)" in after(source.replace(", alignment_history=True", ""))


def test_cells_of_other_names_may_run_in_one_scope() -> None:
    other = (
        "other = tf.nn.rnn_cell.{}(4)\nseen, _ = tf.nn.dynamic_rnn(other, x, dtype=tf.float32)\n"
    )
    gru, lstm = other.format("GRUCell"), other.format("BasicLSTMCell")
    text = after(HEAD + gru + CELL + OVER_TIME + RUN)
    assert "seen" not in text
    assert "dynamic_rnn(cell, x, memory=x)" in text
    made = FUNCTION + "cell = attend(x, lengths, 4)\n"
    assert "attend(4)" in after(HEAD + gru + made + OVER_TIME + "net += seen\n" + RUN)
    plain = "cell = tf.nn.rnn_cell.GRUCell(4)\n" + OVER_TIME + "net += seen\n" + RUN
    assert "dynamic_rnn(other, x)" in after(HEAD + lstm + plain)
    assert "the variables of the scope `rnn` are found again" in stopped(HEAD + gru + plain)


STACK = (
    CELL
    + """\
second = seq2seq.BahdanauAttention(4, {})
cells = [cell, seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), second, 4)]
cell = tf.nn.rnn_cell.MultiRNNCell(cells)
"""
)


def test_cells_that_attend_may_stand_one_upon_the_other() -> None:
    text = after(HEAD + STACK.format("x") + OVER_TIME + RUN)
    assert "cell = MultiRNNCell(cells)\n" in text
    assert "dynamic_rnn(cell, x, memory=x)" in text
    assert "        return [cell.remembered(memory) for cell in self.cells]\n" in text
    assert '        kept["memory"] = cell.remembered(memory)\n' in text
    plain = after(HEAD + CELL + OVER_TIME + RUN)
    assert '        kept["memory"] = mechanism.remembered(memory)\n' in plain


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "second, 4)",
            "second, 4, True)",
            "11: cells that attend in several stacks, or keep a history",
        ),
        (
            "Cell(cells)",
            "Cell([tf.nn.rnn_cell.MultiRNNCell(cells)] * 2)",
            "11: cells that attend in several stacks, or keep a history",
        ),
        ("(4, x)\ncells", "(4, x + 1)\ncells", "9: `memory` of an attention mechanism has no name"),
        ("(4, x)\ncells", "(4, y)\ncells", "8: cells that attend to different things"),
        (
            "[cell, seq",
            "[tf.nn.rnn_cell.GRUCell(4), seq",
            "9: cells that attend to different things",
        ),
    ],
)
def test_other_stacks_keep_the_session(old: str, new: str, reason: str) -> None:
    stack = "y = tf.identity(x)\n" * ("(4, y)" in new) + STACK.format("x")
    assert old in stack
    assert stopped(HEAD + stack.replace(old, new) + OVER_TIME + RUN) == reason


def test_the_state_of_a_stack_is_not_looked_into() -> None:
    run = "net, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\nnet = state[0][1]\n"
    reason = stopped(HEAD + STACK.format("x") + run + RUN)
    assert reason == "13: an item of an attention's state that isn't seen"


@pytest.mark.parametrize(
    "mechanism", ["BahdanauAttention(4, x)", "LuongAttention(4, x, scale=True)"]
)
def test_a_mechanism_with_variables_scores_for_one_cell(mechanism: str) -> None:
    both = (
        f"by = seq2seq.{mechanism}\n"
        "one = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), by, 4)\n"
        "two = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), by, 4)\n"
    )
    reason = "9: a mechanism that scores for several cells"
    assert stopped(HEAD + both + BOTH.format("one", "two") + RUN) == reason
    plain = both.replace(mechanism, "LuongAttention(4, x)")
    assert "by = LuongAttention(4)\n" in after(HEAD + plain + BOTH.format("one", "two") + RUN)


def test_a_function_that_is_given_a_mechanism_makes_one_cell_of_it() -> None:
    made = (
        "def wrapped(by):\n"
        "    return seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(4), by, 4)\n\n\n"
        "by = seq2seq.BahdanauAttention(4, x)\n"
        "one, two = wrapped(by), wrapped(by)\n"
    )
    reason = stopped(HEAD + made + BOTH.format("one", "two") + RUN)
    assert reason == "8: a mechanism that scores for several cells"
