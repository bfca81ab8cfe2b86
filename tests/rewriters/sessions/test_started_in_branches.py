"""Variables that start with what a branch chooses."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
if len(sys.argv) > 1:
    start = tf.constant([[1.0], [2.0]])
else:
    start = tf.random_uniform([2, 1], -1.0, 1.0)
w = tf.get_variable('w', initializer=start)
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [[1, 2]]}))
"""


def test_the_branch_stays() -> None:
    text = after(PROGRAM)
    assert "else:\n    start = tf.random.uniform([2, 1], -1.0, 1.0)\n" in text
    assert "w = tf.Variable(start, name='w')" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.constant([[1.0], [2.0]])", "tf.reshape(tf.reduce_sum(x, 0), [2, 1])"),  # what is fed
        ("sess.run(y, {", "sess.run([y, start], {"),  # drawn anew by each run
        ("print(", "sess.run(tf.assign_add(w, start))\nprint("),
        # it would start with the same again
        ("print(", "print(sess.run(w.assign_add([[1.0], [1.0]])))\nfor _ in range(2):\n"
         "    sess.run(tf.global_variables_initializer())\n    print("),
    ],
)  # fmt: skip
def test_what_runs_compute_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))
