"""A variable that TF 1 finds by its name, whose name in Python means another one by then."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

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


LOOP = """\
import numpy as np
import tensorflow as tf

scale = 0.5
x = tf.placeholder(tf.float32, [None])
w = tf.Variable(1.0)
cost = tf.reduce_sum(tf.square(x - w)) + scale * tf.square(w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for scale in np.linspace(0, 1, 3):
        print(scale, sess.run(cost, {x: [scale]}))
"""


def test_a_loop_that_binds_what_the_graph_was_built_with_has_another_name() -> None:
    text = after(LOOP)
    assert "+ scale * tf.square(w)" in text
    assert "for scale2 in np.linspace(0, 1, 3):\n" in text
    assert "print(scale2, compute_cost([scale2]).numpy())" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{x: [scale]}))\n", "{x: [scale]}))\n    print(scale)\n"),  # without rounds it stays
        ("{x: [scale]}))\n", "{x: [scale]}))\n        scale = 3\n"),
        ("for scale in", "for scale, _ in"),
        ("w = tf", "def shown():\n    return scale\n\n\nw = tf"),
    ],
)
def test_what_else_binds_it_keeps_the_session(old: str, new: str) -> None:
    source = LOOP.replace(old, new)
    assert source != LOOP
    assert "changes" in stopped(source)


def test_what_the_loop_goes_through_is_read_before() -> None:
    text = after(LOOP.replace("np.linspace(0, 1, 3)", "[scale, 2 * scale]"))
    assert "for scale2 in [scale, 2 * scale]:\n" in text
