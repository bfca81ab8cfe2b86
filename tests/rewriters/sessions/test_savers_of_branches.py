"""A Saver that each of several branches makes is one above them, where only one of them saves."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

kept = None
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
if kept is None:
    print('saved')
    saver = tf.train.Saver()
    saver.save(sess, 'kept/model.ckpt')

if kept is not None:
    saver = tf.train.Saver()
    saver.restore(sess, kept)
print(sess.run(y, {x: [[1, 2]]}))
"""


def test_it_stands_above_the_first() -> None:
    text = after(PROGRAM)
    assert "saver = tf.train.Checkpoint(w=w)\nif kept is None:\n    print('saved')\n" in text
    assert text.count("saver = ") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    saver.restore(sess, kept)", "    saver.save(sess, 'kept/other.ckpt')"),
        ("if kept is not None:", "v = tf.Variable(0.0)\nif kept is not None:"),
        ("saver.restore(sess, kept)", "saver.restore(sess, kept)\nsaver.save(sess, 'more')"),
        (
            "    saver = tf.train.Saver()\n    saver.r",
            "    saver = tf.train.Saver([w])\n    saver.r",
        ),
    ],
)
def test_what_may_be_two_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "a Saver in a loop, a branch or a helper" in stopped(PROGRAM.replace(old, new))
