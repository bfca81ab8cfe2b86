"""A variable that TF 1 finds by its name, whose name in Python means another one by then."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

g1 = tf.Graph()
with g1.as_default():
    v = tf.get_variable("v", [1], initializer=tf.zeros_initializer())
    print(v.name)

g2 = tf.Graph()
with g2.as_default():
    v = tf.get_variable("v", [1], initializer=tf.ones_initializer())
"""
RUN = """\
with tf.Session(graph={graph}) as sess:
    tf.global_variables_initializer().run()
    with tf.variable_scope("", reuse=True):
        print(sess.run(tf.get_variable("v")))
"""


def both(head: str = HEAD) -> str:
    return head + RUN.format(graph="g1") + RUN.format(graph="g2")


def test_the_first_one_has_a_name_of_its_own() -> None:
    text = after(both())
    assert 'g1_v = tf.Variable(tf.zeros([1]), name="v")\nprint(g1_v.name)\n' in text
    assert '\nv = tf.Variable(tf.ones([1]), name="v")\n' in text
    assert "print(g1_v.numpy())\nprint(v.numpy())" in text


def test_names_that_are_taken_are_left_alone() -> None:
    text = after(both("g1_v = 3\n" + HEAD))
    assert "g1_v_2 = tf.Variable(tf.zeros([1])" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("g2 = tf.Graph()", "def name():\n    return v.name\n\n\ng2 = tf.Graph()"),
        ("g2 = tf.Graph()", "print(f'{v.name}')\ng2 = tf.Graph()"),
        ("g2 = tf.Graph()", "print([u.name for u in [v]])\ng2 = tf.Graph()"),
        ("g2 = tf.Graph()", "if True:\n    v = 3\ng2 = tf.Graph()"),
    ],
)
def test_what_else_reads_it_keeps_the_session(old: str, new: str) -> None:
    assert "chosen by their names" in stopped(both(HEAD.replace(old, new)))
