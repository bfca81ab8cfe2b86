"""Savers that a branch makes: above it, where the program doesn't ask which names there are."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys

import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
y = tf.matmul(x, w)
depth = eval(sys.argv[1])
if depth:
    path = sys.argv[2]
    saver = tf.train.Saver(max_to_keep=1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0]]}))
    if depth:
        saver.save(sess, path)
"""


def test_it_stands_above_the_branch() -> None:
    text = after(PROGRAM)
    assert "max_to_keep=1)\nif depth:\n    path" in text


@pytest.mark.parametrize("asked", ["'saver' in globals()", "'saver' in dir()"])
def test_one_whose_name_is_asked_for_stays(asked: str) -> None:
    assert "a Saver in a loop" in stopped(PROGRAM.replace("eval(sys.argv[1])", asked))
