"""Lists of assignments that the ways of a branch make."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """
import sys
import tensorflow as tf


class Net(object):
    def __init__(self, hard):
        self.hard = hard
        self.a = [tf.Variable(1.0), tf.Variable(2.0)]
        self.b = [tf.Variable(3.0), tf.Variable(4.0)]
        if self.hard:
            self.count = 0
            # all of it
            self.copy = [tf.assign(t, e) for t, e in zip(self.a, self.b)]
        else:
            self.move = [tf.assign(t, 0.5 * e) for t, e in zip(self.a, self.b)]
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def run(self):
        if self.hard:
            self.sess.run(self.copy)
            self.count += 1
        else:
            self.sess.run(self.move)
        return self.sess.run(self.a[0])


print(Net(len(sys.argv) > 1).run())
"""


def test_each_is_a_function_of_its_own() -> None:
    text = after(NET)
    assert "def run_copy():\n            # all of it\n" in text
    assert "t.assign(e)" in text
    assert "t.assign(0.5 * e)" in text
    assert "if self.hard:\n            self.count = 0\n" in text
    assert "            self.run_copy()\n" in text
    assert "            self.run_move()\n" in text


def test_one_attribute_for_both_stays() -> None:
    assert stopped(NET.replace("self.move", "self.copy")).endswith("ops are made in a loop")


def test_what_the_branch_binds_isnt_read_above_it() -> None:
    source = NET.replace("self.count = 0", "self.c = self.b").replace(
        "zip(self.a, self.b)]\n        else", "zip(self.a, self.c)]\n        else"
    )
    assert stopped(source).endswith("ops are made in a loop")


def test_who_asks_whether_it_is_there_stays() -> None:
    source = NET.replace(
        "        if self.hard:\n            self.sess",
        "        if hasattr(self, 'copy'):\n            self.sess",
    )
    assert stopped(source).endswith("ops are made in a loop")
