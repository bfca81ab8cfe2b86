"""`--to keras`: first states of recurrent networks, and time as the first axis."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = (
    Path(__file__).parents[3] / "fixtures" / "keras" / "rnn_words" / "before.py"
).read_text(encoding="utf-8")  # fmt: skip
INITIAL = "    initial = cell.zero_state(tf.shape(x)[0], tf.float32)\n"


def test_zeros_are_what_networks_begin_with() -> None:
    new = after(PROGRAM)
    assert "dynamic_rnn(self.cell, x, sequence_length=length)" in new
    assert "bidirectional_dynamic_rnn(self.forward, self.backward, x)" in new


def test_what_is_turned_for_time_alone_stays_as_it_was() -> None:
    assert "dynamic_rnn(self.drawn, outputs, sequence_length=length)" in after(PROGRAM)


def test_what_has_time_first_is_turned() -> None:
    program = PROGRAM.replace(
        "drawn, tf.transpose(outputs, [1, 0, 2]), length", "drawn, turned, length"
    )
    made = "    drawn = tf"
    new = after(program.replace(made, f"    turned = tf.transpose(outputs, [1, 0, 2])\n{made}", 1))
    assert "dynamic_rnn(self.drawn, tf.transpose(turned, [1, 0, 2])," in new


def test_cells_without_initializers_keep_their_class() -> None:
    start = PROGRAM.index("        3, kernel_init")
    end = PROGRAM.index("    by_time")
    new = after(f"{PROGRAM[:start]}        3)\n{PROGRAM[end:]}")
    assert "def __init__(self, num_units, activation=tf.tanh):" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (INITIAL, f"{INITIAL}    print(initial)\n", "zero_state"),
        ("cell.zero_state(", "tf.nn.rnn_cell.LSTMCell(4).zero_state(", "zero_state"),
        ("backward.zero_state(batch_size=tf.shape(x)[0], dtype=tf.float32)",
         "tf.zeros([10, 2])", "zero_state"),
    ],
)  # fmt: skip
def test_other_states_stay(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    assert reason in stopped(PROGRAM.replace(old, new))[1]
