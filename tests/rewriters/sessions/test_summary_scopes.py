"""Summaries that are called after the variable scopes around them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def losses(value):
    with tf.variable_scope("loss") as scope:
        loss = tf.reduce_mean(tf.square(value))
        tf.summary.scalar(scope.name + "/value", loss)
    return loss


x = tf.placeholder(tf.float32, [None, 3])
loss = losses(x)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    writer = tf.summary.FileWriter("logs")
    writer.add_summary(sess.run(merged, {x: [[1.0, 2.0, 3.0]]}))
"""
CALL = "loss = losses(x)\n"


@pytest.mark.parametrize(
    ("old", "new", "tag"),
    [
        ("", "", "loss/loss/value"),
        ('scope.name + "/value"', '"%s_%d" % (scope.name, 1)', "loss/loss_1"),
        (
            '        tf.summary.scalar(scope.name + "/value", loss)\n',
            '        with tf.variable_scope("in") as inner:\n'
            '            tf.summary.scalar(inner.name + "/value", loss)\n',
            "loss/in/loss/in/value",
        ),
        (
            CALL,
            'with tf.variable_scope("net"):\n    loss = losses(x)\n',
            "net/loss/net/loss/value",
        ),
    ],
)
def test_what_the_scope_says_is_written(old: str, new: str, tag: str) -> None:
    assert old in PROGRAM
    text = after(PROGRAM.replace(old, new) if old else PROGRAM)
    assert f"'{tag}'" in text.replace('"', "'")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CALL, CALL + 'with tf.variable_scope("net"):\n    loss += losses(2 * x)\n'),
        (CALL, "loss = 0.0\nfor _ in range(2):\n    loss += losses(x)\n"),
        ('"loss"', "str(input())"),
        ('"loss"', '"loss/"'),
        ("        tf.summary", "        scope = tf.get_variable_scope()\n        tf.summary"),
    ],
)
def test_scopes_that_arent_sure_stay(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
