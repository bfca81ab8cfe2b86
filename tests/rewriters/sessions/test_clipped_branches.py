"""Gradients that one way of a branch clips, and the other doesn't."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import tensorflow as tf


class Model(object):
    def __init__(self, method, clip):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.lr = tf.placeholder(tf.float32, [])
        self.w = tf.get_variable("w", [3, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.add_train_op(method, self.lr, self.loss, clip)

    def add_train_op(self, method, lr, loss, clip=-1):
        with tf.variable_scope("train_step"):
            if method == "adam":
                optimizer = tf.train.AdamOptimizer(lr)
            else:
                optimizer = tf.train.GradientDescentOptimizer(lr)
            if clip > 0:  # clipping if clip is positive
                {compute}
                {clipped}
                self.train_op = optimizer.apply_gradients({pairs})
            else:
                self.train_op = optimizer.minimize({whole})


model = Model(sys.argv[1], float(sys.argv[2]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([model.train_op, model.loss], {{model.x: [[1, 2, 3]], model.lr: 0.1}})[1])
"""
ZIPPED = {
    "compute": "grads, vs = zip(*optimizer.compute_gradients(loss))",
    "clipped": "grads, norm = tf.clip_by_global_norm(grads, clip)",
    "pairs": "zip(grads, vs)",
    "whole": "loss",
}
LISTED = ZIPPED | {
    "compute": "gvs = optimizer.compute_gradients(loss)",
    "clipped": "capped = [(tf.clip_by_value(g, -clip, clip), v) for g, v in gvs]",
    "pairs": "capped",
}


def test_the_clipping_alone_is_in_the_branch() -> None:
    text = after(PROGRAM.format(**ZIPPED))
    assert "if clip > 0:  # clipping if clip is positive" in text
    assert "grads, norm = tf.clip_by_global_norm(grads, clip)" in text
    assert text.count("apply_gradients") == 1


def test_a_rate_that_a_method_is_given() -> None:
    text = after(PROGRAM.format(**ZIPPED))
    assert "optimizer.learning_rate.assign(lr)" in text
    assert "def add_train_op(self, method, clip=-1):" in text


def test_pairs_under_another_name() -> None:
    text = after(PROGRAM.format(**LISTED))
    assert text.count("apply_gradients") == 1
    assert "else:\n" in text


@pytest.mark.parametrize(
    "other",
    [
        {"whole": "loss, var_list=[self.w]"},
        {"whole": "2 * loss"},
        {"pairs": "zip(grads, [self.w])"},
    ],
)
def test_ways_that_differ_keep_the_session(other: dict[str, str]) -> None:
    assert stopped(PROGRAM.format(**ZIPPED | other))
