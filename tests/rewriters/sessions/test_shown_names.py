"""The names of ops that a program prints are TF 1's; a function that prints is given them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def show(t):
    print(t.op.name, t.get_shape().as_list())


def net(x):
    w = tf.Variable(tf.ones([3, 2]), name='w')
    with tf.name_scope('first') as scope:
        first = tf.nn.relu(tf.matmul(x, w), name=scope)
        show(first)
    second = tf.nn.softmax(first, name='first')
    show(second)
    return second


x = tf.placeholder(tf.float32, [2, 3])
y = net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0, 3.0]] * 2}))
"""


def test_a_function_that_prints_is_given_the_names() -> None:
    text = after(PROGRAM)
    assert "def show(t, name):\n    print(name, t.get_shape().as_list())\n" in text
    assert "        show(first, 'first')\n" in text
    # The scope has the name already: TF 1 counts on.
    assert "        show(second, 'first_1')\n" in text


def test_a_name_is_written_where_it_is_printed() -> None:
    text = after(PROGRAM.replace("show(second)", "print('last', second.name)"))
    assert "    print('last', 'first_1:0')\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def show(t):", "def show(t, end=''):"),  # where the name could go
        ("show(second)", "show(*[second])"),
        # An op in a scope of the name, `first_1/mul_1`.
        ("tf.nn.softmax(first, name", "tf.nn.dropout(first, .5, name"),
        # An op that the author didn't name.
        ("first, name='first')", "first)"),
        # Several ops' names in one place.
        ("    show(second)\n", "    for t in (first, second):\n        show(t)\n"),
    ],
)
def test_a_name_that_can_not_be_told_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))


def test_names_that_the_author_gave_to_placeholders_and_constants_are_written() -> None:
    text = after(
        "import tensorflow as tf\n"
        "with tf.name_scope('a'):\n    x = tf.placeholder(tf.float32, [None], name='x')\n"
        "c = tf.constant(2.0, name='c')\n"
        "print(x.name, c.op.name)\n"
        "with tf.Session() as sess:\n    print(sess.run(x * c, {x: [1.0]}))\n"
    )
    assert "print('a/x:0', 'c')" in text


@pytest.mark.parametrize("made", ["tf.constant(2.0)", "tf.constant(2.0, name='mul')"])
def test_names_that_tf_1_gives_or_its_operators_may_have_keep_the_session(made: str) -> None:
    stopped(
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [None])\n"
        f"y = x * x\nc = {made}\nprint(c.name)\n"
        "with tf.Session() as sess:\n    print(sess.run(y * c, {x: [1.0]}))\n"
    )
