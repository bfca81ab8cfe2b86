"""Summaries that keep different numbers of images: what keeps fewer is given fewer."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 4, 1])
w = tf.Variable(0.5)
tf.summary.image('a', x, max_outputs=ONE)
tf.summary.image('b', w * x, OTHER)
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(merged, {x: [[[[1.0]] * 4] * 4]}), 0)
"""


def program(one: object, other: object) -> str:
    return PROGRAM.replace("ONE", str(one)).replace("OTHER", str(other))


def test_the_smaller_number_is_sliced() -> None:
    text = after(program(2, 4))
    assert "max_images=4" in text
    assert "'a': x[:2]" in text
    assert "'b': w * x" in text


def test_an_expression_gets_brackets() -> None:
    assert "'b': (w * x)[:2]" in after(program(4, 2))


@pytest.mark.parametrize(("one", "other"), [(1, 3), (3, 1), ("n", 3), (0, 0)])
def test_other_tags_and_unseen_numbers_keep_the_session(one: object, other: object) -> None:
    source = "n = 2\n" + program(one, other)
    assert "how many images are kept" in stopped(source)
