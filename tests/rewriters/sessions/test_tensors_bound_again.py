"""A run that needs what a name meant before, and what it means then: the later one is renamed."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 3]))
h = tf.matmul(x, w)
tf.summary.histogram('first', h)
h = tf.nn.relu(h)
tf.summary.histogram('second', h)
merged = tf.summary.merge_all()
sess = tf.Session()
sess.run(tf.global_variables_initializer())
writer = tf.summary.FileWriter('logs')
writer.add_summary(sess.run(merged, {x: np.ones([2, 3])}), 0)
"""


def test_the_later_one_has_a_name_of_its_own() -> None:
    text = after(PROGRAM)
    assert "    h = tf.matmul(x, w)\n    h2 = tf.nn.relu(h)\n" in text
    assert "'first': h,\n" in text
    assert "'second': h2,\n" in text


@pytest.mark.parametrize(
    "tail",
    ["print(globals())\n", "def show():\n    return h\n", "print([h for h in range(2)])\n"],
)
def test_a_name_that_may_be_read_elsewhere_keeps_the_session(tail: str) -> None:
    assert "one name means two things in what is run" in stopped(PROGRAM + tail)
