"""Cells that each round of a loop makes, and functions of cells with a flag of reuse."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def cell(size, reuse=False):
    return tf.nn.rnn_cell.GRUCell(size, reuse=reuse)


x = tf.placeholder(tf.float32, [None, 4, 3])
y = x
layers = 2
for n in range(layers):
    y, _ = tf.nn.dynamic_rnn(cell(3), y, dtype=tf.float32, scope='rnn_%d' % n)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[[1.0, 2.0, 3.0]] * 4]}))
"""


def test_they_are_made_in_a_list_before_the_loop() -> None:
    text = after(NET)
    assert "\ncells = [cell(3) for _ in range(layers)]\n" in text
    assert "dynamic_rnn(cells[n], y" in text


def test_a_count_that_they_read_counts_there_too() -> None:
    text = after(NET.replace("cell(3)", "cell(3 + n)"))
    assert "\ncells = [cell(3 + n) for n in range(layers)]\n" in text


def test_a_flag_that_no_call_sets_goes() -> None:
    text = after(NET)
    assert "def cell(size):\n    return GRUCell(size)\n" in text


OBJECT = """\
import tensorflow as tf


class Net:
    def __init__(self):
        def cells(reuse=False):
            return tf.nn.rnn_cell.GRUCell(3, reuse=reuse)

        self.x = tf.placeholder(tf.float32, [None, 4, 3])
        self.cells = cells()
        self.y, _ = tf.nn.dynamic_rnn(self.cells, self.x, dtype=tf.float32)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {net.x: [[[1.0, 2.0, 3.0]] * 4]}))
"""


def test_an_attribute_of_the_name_of_a_function_in_a_method_is_none_of_its_calls() -> None:
    text = after(OBJECT)
    assert "        def cells():\n            return GRUCell(3)\n" in text
    assert "self.cells = cells()\n" in text
    assert "a cell with `reuse`" in stopped(OBJECT.replace("= cells()", "= cells(True)"))
    given = OBJECT.replace("= cells()", "= cells\n        self.cells = self.cells()")
    assert "a cell with `reuse`" in stopped(given)


def test_a_flag_that_is_handed_on_goes() -> None:
    text = after(
        NET.replace(
            "    return tf.nn",
            "    return inner(size, reuse)\n\n\ndef inner(size, reuse=False):\n    return tf.nn",
            1,
        )
    )
    assert "def inner(size):\n    return GRUCell(size)\n" in text
    assert "    return inner(size)\n" in text
    assert "def cell(size):\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("cell(3)", "cell(3, True)", "a cell with `reuse`"),
        ("cell(3)", "cell(3, layers > 1)", "a cell with `reuse`"),
        ("    y, _", "    size = 3 + n\n    y, _", ""),
        ("cell(3)", "cell(3) if n else cell(4)", ""),
        ("range(layers)", "[0, 1]", ""),
    ],
)
def test_what_changes_keeps_the_session(old: str, new: str, reason: str) -> None:
    changed = NET.replace(old, new)
    if "size = 3" in new:
        changed = changed.replace("cell(3)", "cell(size)")
    assert reason in stopped(changed)
