"""Functions that run whichever part of a graph they are given are given functions."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 2]))
first = tf.matmul(x, w)
second = tf.nn.relu(first)
sess = tf.Session()
sess.run(tf.global_variables_initializer())


def show(layer, row):
    feed = {x: [row]}
    values = sess.run(layer, feed_dict=feed)
    print(values.shape)


row = [1.0, 2.0]
show(first, row)
show(second, row)
show(layer=first, row=row)
"""


def test_each_call_gives_a_function() -> None:
    text = after(PROGRAM)
    assert "    values = layer([row])\n" in text
    assert "feed" not in text.split("def show")[1][:60]
    assert (
        "def run_first(x_fed):\n    return compute_first(x_fed).numpy()\n\n\nshow(run_first, row)"
        in text
    )
    assert "show(run_second, row)\nshow(layer=run_first, row=row)\n" in text
    assert text.count("def run_first(") == 1


def test_a_written_function_that_runs_goes_along() -> None:
    written = """\


def run_first(value):
    return sess.run(first, {x: value})


def show(run, row):
    print(run([row]).shape)


show(run_first, [1.0, 2.0])
"""
    text = after(PROGRAM.split("\n\n\ndef")[0] + written)
    assert "    return compute_first(value).numpy()\n" in text
    assert "show(run_first, [1.0, 2.0])" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    print(values.shape)", "    print(values.shape, layer)"),  # more than a run
        ("    feed = {x: [row]}\n", "    feed = {x: [row]}\n    row = row.pop()\n"),
        ("def show(layer, row):", "def show(layer, row, x=x):"),  # the placeholder is given
        ("show(second, row)", "for _ in range(2):\n    show(second, row)"),  # where to define it
        ("show(second, row)", "shown = show\nshow(second, row)"),  # other calls may hide
    ],
)
def test_what_is_not_only_run_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "is given other parts of the graph before" in stopped(PROGRAM.replace(old, new))
