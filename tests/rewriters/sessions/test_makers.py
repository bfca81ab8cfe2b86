"""Functions that return a session beside other things."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.ones([2, 1]), name="w")
        self.y = tf.matmul(self.x, w)
        self.sess, self.saver = self.begin()

    def begin(self):
        sess = tf.Session()
        sess.run(tf.global_variables_initializer())
        # All variables
        saver = tf.train.Saver()
        return sess, saver

    def run(self):
        print(self.sess.run(self.y, {self.x: [[1.0, 2.0]]}))
        self.saver.save(self.sess, "log/net")


Net().run()
"""


def test_its_statements_stand_where_it_is_called() -> None:
    text = after(PROGRAM)
    assert "def begin" not in text
    made = "        saver = tf.train.Checkpoint(w=w)\n        self.saver = saver\n"
    assert f"        # All variables\n{made}" in text


def test_in_functions() -> None:
    text = after("""\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
y = tf.matmul(x, tf.Variable(tf.ones([2, 1])))


def begin():
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    return sess, saver


sess, saver = begin()
print(sess.run(y, {x: [[1.0, 2.0]]}))
saver.save(sess, "log/net")
""")
    assert "\nsaver = tf.train.Checkpoint(" in text
    assert "def begin" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    def run(self):\n", "    def run(self):\n        self.sess, _ = self.begin()\n"),
        (
            "self.sess, self.saver = self.begin()",
            "both = self.begin()\n        self.sess = both[0]",
        ),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
