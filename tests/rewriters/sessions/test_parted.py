"""Functions that run whichever part of a graph they are given are given functions."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

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


LENT = """\
import tensorflow as tf


def clock(session, target, what):
    for _ in range(2):
        values = session.run(target)
    print(what, values)


def main():
    x = tf.Variable(tf.ones([2, 3]))
    w = tf.Variable(tf.ones([3, 2]))
    y = tf.matmul(x, w)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    # As it is.
    clock(sess, y, "forwards")
    grads = tf.gradients(tf.nn.l2_loss(y), [w])
    clock(sess, grads, "backwards")


main()
"""


def test_each_call_gives_the_session_too() -> None:
    text = after(LENT)
    assert "def clock(target, what):\n    for _ in range(2):\n        values = target()\n" in text
    assert (
        "\n\n    def run_y():\n        return compute_y().numpy()\n\n    # As it is.\n"
        '    clock(run_y, "forwards")\n'
    ) in text
    assert '    clock(run_grads, "backwards")\n' in text


FED = (
    LENT.replace("target, what", "target, feed, what")
    .replace("session.run(target)", "session.run(target, feed_dict=feed)")
    .replace("    y = tf", "    p = tf.placeholder(tf.float32)\n    y = p * tf")
    .replace("sess, y,", "sess, y, {p: 1.0},")
    .replace("sess, grads,", "sess, grads, {p: 0.5},")
)


def test_each_call_gives_what_is_fed_too() -> None:
    text = after(FED)
    assert "def clock(target, what):\n" in text
    assert '    clock(run_grads, "backwards")\n' in text
    assert "compute_y(1.0).numpy()" in text
    assert "compute_grads(0.5)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    print(what, values)", "    print(what, values, feed)"),  # more than fed
        ("{p: 0.5}", "fed"),  # it may be another one by then
        ("what):\n", "what):\n    if what is None:\n        print(target)\n"),
    ],
)
def test_what_is_fed_elsewhere_keeps_the_session(old: str, new: str) -> None:
    assert old in FED
    text = FED.replace(old, new).replace("    grads", "    fed = {p: 2.0}\n    grads")
    assert "`clock` is given " in stopped(text)
