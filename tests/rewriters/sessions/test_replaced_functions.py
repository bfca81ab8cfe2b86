"""Functions that a branch puts in the place of others."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


def build(x, train, keep):
    def plain():
        return tf.matmul(x, w)

    hidden = plain
    if train and keep < 1:
        def hidden():
            # half of it
            return tf.nn.dropout(plain(), keep)
    return tf.reduce_sum(hidden())


w = tf.Variable(tf.ones([2, 3]))
x = tf.placeholder(tf.float32, [None, 2])
train = np.random.rand() < 2
y = build(x, train, 0.5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([1, 2])}))
"""


def test_the_branch_stands_in_the_function() -> None:
    text = after(SOURCE)
    assert "    hidden = plain\n" not in text
    assert (
        "    def hidden():\n"
        "        if train and keep < 1:\n"
        "            # half of it\n"
        "            return tf.nn.dropout(plain(), rate=1 - keep)\n"
        "        return plain()\n"
    ) in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hidden = plain", "hidden = [plain][0]"),
        (
            "    return tf.reduce_sum(hidden())",
            "    train = False\n    return tf.reduce_sum(hidden())",
        ),
        (
            "    return tf.reduce_sum(hidden())",
            "    print(hidden)\n    return tf.reduce_sum(hidden())",
        ),
        ("def hidden():", "def hidden(n=1):"),
    ],
)
def test_what_is_more_stays(old: str, new: str) -> None:
    assert old in SOURCE
    stopped(SOURCE.replace(old, new))


def test_a_function_that_wraps_the_other_one() -> None:
    """Cells are wrapped one after another, as ``made = DropoutWrapper(made)``."""
    bare = SOURCE.replace("            # half of it\n", "")
    text = after(bare)
    assert (
        "    def hidden():\n"
        "        made = plain()\n"
        "        if train and keep < 1:\n"
        "            made = tf.nn.dropout(made, rate=1 - keep)\n"
        "        return made\n"
    ) in text
    other = after(bare.replace("dropout(plain(), keep)", "dropout(x=plain(), keep_prob=keep)"))
    assert "made" not in other
