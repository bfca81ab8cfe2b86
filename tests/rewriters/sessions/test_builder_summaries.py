"""Functions that build and attach summaries, or fill collections, stand where they are called."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

w = tf.Variable([1.0, 2.0])


def keep(v):
    tf.add_to_collection('losses', tf.nn.l2_loss(v))


def net(t):
    with tf.name_scope('net'):
        tf.summary.histogram('w', w)
        h = t * w
        return h


def total(parts):
    return tf.add_n(tf.get_collection('losses')) + parts


x = tf.placeholder(tf.float32, [None, 2])
CALLS
summaries = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(summaries, {x: [[1, 2]]}), 0)
    print(sess.run(y, {x: [[1, 2]]}))
"""


def program(calls: str) -> str:
    return PROGRAM.replace("CALLS", calls)


def test_one_that_is_called_once_stands_there() -> None:
    text = after(program("y = net(x)"))
    assert "def net" not in text
    assert "'net/w': w.read_value()" in text


def test_each_call_has_its_tag() -> None:
    text = after(program("h = net(x)\ny = net(h)"))
    assert "'net/w': w.read_value()" in text
    assert "'net_1/w': w.read_value()" in text


def test_what_fills_and_what_reads_a_collection() -> None:
    text = after(program("h = net(x)\nkeep(w)\nkeep(h)\ny = total(h)"))
    assert "collection" not in text
    assert "def keep" not in text
    assert "    losses.append(tf.nn.l2_loss(w))\n    losses.append(tf.nn.l2_loss(h))\n" in text
    assert "    return total(h, losses)\n" in text


def test_a_loop_that_fills_it_fills_a_list() -> None:
    text = after(program("h = net(x)\nfor v in [w, h]:\n    keep(v)\ny = total(h)"))
    assert "    for v in [w, h]:\n        losses.append(tf.nn.l2_loss(v))\n" in text
    assert "    return total(h, losses)\n" in text


def test_what_is_put_in_behind_a_reader_is_for_the_next_one() -> None:
    text = after(program("h = net(x)\nkeep(w)\ny = total(h)\nz = total(h)\nkeep(h)"))
    assert "    losses.append(tf.nn.l2_loss(w))\n    return total(h, losses)\n" in text


def test_an_argument_of_that_name_is_another_thing() -> None:
    more = "def scale(net):\n    return net * 2.0\n\n\n"
    text = after(
        program("y = scale(net(x))")
        .replace("x = tf.p", f"{more}x = tf.p")
        .replace("y = scale(net(x))", "h = net(x)\ny = scale(h)")
    )
    assert "def net" not in text
    assert "def scale(net):" in text


@pytest.mark.parametrize(
    "calls",
    [
        "y = x\nfor i in range(2):\n    y = net(y)",
        "y = net(x) + 1.0",
        "y = list(map(net, [x]))[0]",
    ],
)
def test_what_is_called_in_another_way_keeps_its_session(calls: str) -> None:
    assert stopped(program(calls))
