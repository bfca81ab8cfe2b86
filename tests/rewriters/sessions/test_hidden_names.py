"""Names of ops that functions ask for, beside summaries: only those of one scope are one name."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf


def summaries(var, name):
    with tf.name_scope("summaries"):
        tf.summary.scalar(name, tf.reduce_max(var))


def layer(x, n, m, name):
    with tf.variable_scope(name):
        with tf.variable_scope("weights"):
            w = tf.get_variable("weights", [n, m])
            summaries(w, name + "/weights")
        return tf.matmul(x, w)


def main():
    x = tf.placeholder(tf.float32, [None, 4])
    h = layer(x, 4, 3, "a")
    y = layer(h, 3, 2, "b")
    merged = tf.summary.merge_all()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([y, merged], {x: [[1, 2, 3, 4]]}))


main()
"""


def test_variables_of_another_scope_leave_a_summary_its_name() -> None:
    text = after(SOURCE).replace('"', "'")
    assert "'a/weights/summaries/a/weights': " in text
    assert "'b/weights/summaries/b/weights': " in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('with tf.variable_scope("weights")', 'with tf.name_scope("a")'),
        ('variable_scope("weights")', 'variable_scope("a")'),
        ('variable_scope("weights")', 'variable_scope("weights", auxiliary_name_scope=False)'),
        ('"weights", [n, m]', '"a/weights", [n, m]'),
    ],
)
def test_those_that_may_be_of_the_same_scope_keep_the_session(old: str, new: str) -> None:
    text = SOURCE.replace(old, new)
    assert text != SOURCE
    stopped(text)
