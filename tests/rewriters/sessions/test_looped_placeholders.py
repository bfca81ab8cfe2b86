"""Placeholders, and ops of them, that a loop makes alike in each round: they stand above it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def main():
    texts = ["1", "2"]
    total, size = 0.0, 2
    for i in range(len(texts)):
        text = texts[i]
        # what it is read from
        given = tf.placeholder(tf.string)
        number = tf.multiply(tf.strings.to_number(given), 2.0)
        with tf.Session() as sess:
            one = sess.run(number, feed_dict={given: text})
            two = sess.run(number, feed_dict={given: text + "0"})
        total += one + two
    print(total)


main()
"""
LINE = "        number = tf.multiply(tf.strings.to_number(given), 2.0)\n"


def test_they_are_made_once() -> None:
    text = after(PROGRAM)
    before = text.partition("    for i in range")[0]
    assert "    given = tf.TensorSpec(None, tf.string)\n" in before
    assert "        return tf.multiply(tf.strings.to_number(given), 2.0)\n" in before
    assert '        two = compute_number(text + "0").numpy()\n' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    for i in range(len(texts)):", "    for text in texts:"),
        ("        text = texts[i]\n", "        text = texts[i]\n        print(text)\n"),
        ("2.0)\n", "float(size))\n"),
        (LINE, LINE + "        number_2 = number + 1.0\n        print(i)\n"),
        (
            "    for i in range(len(texts)):",
            "    i = -1\n    while i < len(texts) - 1:\n        i += 1",
        ),
    ],
)
def test_other_loops(old: str, new: str) -> None:
    program = PROGRAM.replace(old, new)
    if "for text" in new:
        program = program.replace("        text = texts[i]\n", "")
    text = after(program.replace("float(size)", "tf.cast(size, tf.float32)"))
    loop = "    while" if "while" in new else "    for "
    assert "tf.strings.to_number(given)" in text.partition(loop)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # it differs from round to round
        ("2.0)\n", "float(i))\n"),
        ("tf.placeholder(tf.string)", "tf.placeholder(tf.string, name='given_%d' % i)"),
        # each round has a graph of its own
        (
            "        text = texts[i]\n",
            "        text = texts[i]\n        tf.reset_default_graph()\n",
        ),
        # each round makes a variable of it
        (LINE, LINE + "        number = number + tf.Variable(1.0)\n"),
        # a second one has other numbers
        (LINE, LINE.replace("2.0", "tf.random_uniform([])")),
        # a function may do anything
        (LINE, LINE.replace("2.0", "float(input())")),
        # it is bound twice
        ("    total, size", "    number = 0\n    total, size"),
    ],
)
def test_what_differs_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))
