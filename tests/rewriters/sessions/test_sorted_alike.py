"""Two lists of variables that are sorted by their names before one is copied to the other."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope("a"):
    y = tf.matmul(x, tf.get_variable("w", [3, 2])) + tf.get_variable("b", [2])
with tf.variable_scope("z"):
    u = tf.matmul(x, tf.get_variable("w", [3, 2])) + tf.get_variable("b", [2])


def copy(sess):
    one = [v for v in tf.trainable_variables() if v.name.startswith("a/")]
    one = sorted(one, key=lambda v: v.name)
    two = [v for v in tf.trainable_variables() if v.name.startswith("z/")]
    two = sorted(two, key=lambda v: v.name)

    ops = []
    for mine, other in zip(one, two):
        op = other.assign(mine)
        ops.append(op)

    sess.run(ops)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        copy(sess)
        print(sess.run([y, u], {x: np.ones([2, 3])}))
"""
COPY = """\
def copy():
    one = [w, b]
    two = [w_2, b_2]

    for mine, other in zip(one, two):
        other.assign(mine)
"""


def test_lists_in_the_same_order_need_no_sorting() -> None:
    assert COPY in after(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Sorted, another variable stands first.
        ('tf.get_variable("w", [3, 2])) + tf.get_variable("b", [2])\n\n',
         'tf.get_variable("a", [3, 2])) + tf.get_variable("c", [2])\n\n'),
        ("    two = sorted(two, key=lambda v: v.name)\n", ""),
        ("two = sorted(two, key=lambda v: v.name)", "two = sorted(two, key=lambda v: v.name[1])"),
        ("two = sorted(two", "print(two)\n    two = sorted(two"),
    ],
)  # fmt: skip
def test_other_lists_stay_sorted(old: str, new: str) -> None:
    assert SOURCE.replace(old, new) != SOURCE
    assert "in a loop" in stopped(SOURCE.replace(old, new, 1))


OBJECTS = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, scope):
        self.scope = scope
        with tf.variable_scope(scope):
            self.x = tf.placeholder(tf.float32, [None, 3])
            self.y = tf.layers.dense(self.x, 2, name="b")
            self.y = tf.layers.dense(self.y, 2, name="a")


class Copier:
    def __init__(self, one, two):
        mine = [v for v in tf.trainable_variables() if v.name.startswith(one.scope)]
        mine = sorted(mine, key=lambda v: v.name)
        theirs = [v for v in tf.trainable_variables() if v.name.startswith(two.scope)]
        theirs = sorted(theirs, key=lambda v: v.name)
        self.ops = []
        for m, t in zip(mine, theirs):
            op = t.assign(m)
            self.ops.append(op)

    def make(self, sess):
        sess.run(self.ops)


a, b = Net("one"), Net("two")
copier = Copier(a, b)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
copier.make(sess)
print(sess.run(b.y, {b.x: np.ones([2, 3])}))
"""
ASSIGNED = """\
        @tf.function
        def run_ops():
            for m, t in zip(mine, theirs):
                t.assign(m)
"""


def test_ops_that_an_object_keeps_in_a_list() -> None:
    text = after(OBJECTS)
    assert "sorted(" not in text
    assert ASSIGNED in text


def test_ops_of_lists_that_are_sorted_otherwise() -> None:
    message = stopped(OBJECTS.replace("theirs = sorted(theirs, key=lambda v: v.name)", "pass"))
    assert "one name means two things" in message
    other = OBJECTS.replace("theirs = sorted(theirs, key=lambda v: v.name)", "pass")
    other = other.replace("mine = sorted(mine", "ordered = sorted(mine").replace(
        "zip(mine", "zip(ordered"
    )
    assert "variables are sorted by their names" in stopped(other)
