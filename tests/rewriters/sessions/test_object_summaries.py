"""Summaries that several objects of a class make."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, scope):
        self.scope = scope
        with tf.variable_scope(scope):
            self.x = tf.placeholder(tf.float32, [None, 3])
            w = tf.get_variable("w", [3, 1], initializer=tf.ones_initializer())
            self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
            self.merged = tf.summary.merge([tf.summary.scalar("loss", self.loss)])

    def write(self, sess, writer, x, i):
        writer.add_summary(sess.run(self.merged, {self.x: x}), i)


first, second = Net("a"), Net("b")
with tf.Session() as sess:
    writer = tf.summary.FileWriter("logs")
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        first.write(sess, writer, np.ones([2, 3]), i)
        second.write(sess, writer, np.ones([2, 3]), i)
"""
MANY = "summaries of several objects, whose tags TF 1 numbers"


def test_each_object_has_its_scope_in_its_tags() -> None:
    assert 'return {f"{scope}/loss": loss}' in after(SOURCE)
    build = SOURCE.replace(
        "variable_scope(scope):\n",
        "variable_scope(scope):\n"
        "            self.build()\n\n    def build(self):\n        if True:\n",
    )
    assert 'f"{self.scope}/loss": loss' in after(build)


def test_one_object_has_its_tag_written() -> None:
    one = SOURCE.replace('first, second = Net("a"), Net("b")', 'first = Net("a")')
    one = one.replace("        second.write(sess, writer, np.ones([2, 3]), i)\n", "")
    text = after(one)
    assert 'return {"a/loss": loss}' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.variable_scope(scope)", "tf.variable_scope(None, 'net')"),
        ('Net("b")', "Net(input())"),
        ('Net("b")', 'Net("A")'),
        ('Net("b")', 'Net("a/b")'),
        ("first, second", "with tf.name_scope('b'):\n    c = tf.constant(1.0)\nfirst, second"),
    ],
)  # fmt: skip
def test_numbered_tags_keep_the_session(old: str, new: str) -> None:
    assert stopped(SOURCE.replace(old, new, 1))


def test_objects_of_two_graphs_have_their_scopes() -> None:
    """The second graph's tag was the first one's."""
    first, second = SOURCE.split("first, second = ")
    run = second[second.index("with tf.Session") :].replace(
        "        second.write(sess, writer, np.ones([2, 3]), i)\n", ""
    )
    other = run.replace("first.write", "second.write").replace('"logs"', '"more"')
    text = f'{first}first = Net("a")\n{run}tf.reset_default_graph()\nsecond = Net("b")\n{other}'
    assert 'return {f"{scope}/loss": loss}' in after(text)
    same = text.replace('Net("b")', 'Net("a")')
    assert 'return {"a/loss": loss}' in after(same)
    plain = same.replace("with tf.variable_scope(scope):", "if True:")
    assert 'return {"loss": loss}' in after(plain)
