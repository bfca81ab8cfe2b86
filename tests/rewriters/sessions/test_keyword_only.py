"""Functions whose arguments are given by name alone."""

from __future__ import annotations

from rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def copy_ops({head}):
    ops = []
    sources = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=source)
    targets = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=target)
    for a, b in zip(sources, targets):
        ops.append(b.assign(a.value()))
    return ops


with tf.variable_scope('main'):
    v = tf.get_variable('v', [2], initializer=tf.ones_initializer())
with tf.variable_scope('target'):
    w = tf.get_variable('v', [2], initializer=tf.zeros_initializer())
copy = copy_ops({call})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(copy)
    print(sess.run(w))
"""


def test_they_are_followed_without_the_star() -> None:
    call = "source='main', target='target'"
    for head in ("*, source='main', target='target'", "*, target, source='main'"):
        assert "assign(" in after(PROGRAM.format(head=head, call=call))


def test_one_that_has_to_be_given_behind_one_that_needn_t() -> None:
    head = "*, source='main', target"
    assert "b.assign(a" in after(PROGRAM.format(head=head, call="target='target'"))
