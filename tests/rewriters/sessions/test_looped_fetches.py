"""Fetches that get a name inside of a loop, a branch or another block."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
cost = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(2):
    {fetches}
    found = sess.run(fetches, {{x: [[1.0, 2.0]]}})
    print({shown})
"""


@pytest.mark.parametrize(
    ("fetches", "shown"),
    [
        ("fetches = [cost, train_op]", "found[0]"),
        ("fetches = cost, train_op", "found[0]"),
        ("fetches = {'c': cost, 't': train_op}", "found['c']"),
    ],
)
def test_the_loop_stays_and_the_name_goes(fetches: str, shown: str) -> None:
    text = after(PROGRAM.format(fetches=fetches, shown=shown))
    assert "\nfor i in range(2):\n    found = " in text
    assert "fetches" not in text


def test_a_block_that_only_gives_the_name_is_not_lost() -> None:
    body = "if i:\n        print(i)\n        fetches = [cost, train_op]\n    else:\n        "
    body += "fetches = [cost]"
    assert "one value or another is fetched" in stopped(
        PROGRAM.format(fetches=body, shown="found[0]")
    )


def test_what_else_reads_them_keeps_the_session() -> None:
    shown = "found[0], len(fetches)"
    assert "used outside of a run" in stopped(
        PROGRAM.format(fetches="fetches = [cost, train_op]", shown=shown)
    )
