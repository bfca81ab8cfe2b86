"""``reuse=reuse`` of a function's layers: its calls say whether the variables are used again."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def net(x, again=False):
    h = tf.layers.dense(x, 4, name="fc1", reuse=again)
    return tf.layers.dense(h, 1, name="fc2", reuse=again)


a = tf.placeholder(tf.float32, [None, 3])
b = tf.placeholder(tf.float32, [None, 3])
ya = net(a)
yb = net(b, again=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([ya, yb], {a: [[1.0, 2.0, 3.0]], b: [[1.0, 2.0, 4.0]]}))
"""


@pytest.mark.parametrize("name", ["again", "reuse"])
def test_one_call_makes_them_and_the_other_has_them(name: str) -> None:
    text = after(PROGRAM.replace("again", name))
    assert "def net():\n" in text
    assert text.count("= net()") == 1
    assert "ya_layer(a)" in text
    assert "ya_layer(b)" in text


def test_the_opposite_may_be_said() -> None:
    text = after(
        PROGRAM.replace("=again)", "=not first)")
        .replace("again=False", "first=True")
        .replace("again=True", "first=False")
    )
    assert text.count("= net()") == 1
    assert "ya_layer(b)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"fc2", reuse=again)', '"fc2")'),  # one that is always made
        ('"fc2", reuse=again)', '"fc2", reuse=not again)'),
        ("    h =", "    again = bool(again)\n    h ="),
        ("    return ", "    v = tf.Variable(1.0)\n    return v * "),
    ],
)
def test_all_must_be_told_the_same(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "whether variables are used again is computed" in stopped(PROGRAM.replace(old, new))
