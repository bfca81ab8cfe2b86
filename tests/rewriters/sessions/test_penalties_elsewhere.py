"""Penalties of variables that another method of an object makes."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.rate = 0.2
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.build({given})
        self.add()

    def build(self, rate=0.3):
        {before}
        self.w = tf.get_variable('w', [2, 1], regularizer={regularizer})

    def add(self, {more}):
        losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
        self.loss = tf.reduce_sum(tf.matmul(self.x, self.w)) + tf.reduce_sum(losses)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.loss, {{model.x: [[1.0, 2.0]]}}))
"""
L2 = "tf.contrib.layers.l2_regularizer"


@pytest.mark.parametrize(
    ("before", "regularizer", "written"),
    [
        ("pass", f"{L2}(0.1)", "tf.keras.regularizers.L2(0.05)(self.w)"),
        (f"reg = {L2}(0.1)", "reg", "tf.keras.regularizers.L2(0.05)(self.w)"),
        ("pass", f"{L2}(self.rate)", "L2(self.rate / 2)(self.w)"),
    ],
)
def test_what_all_methods_can_say(before: str, regularizer: str, written: str) -> None:
    text = after(PROGRAM.format(before=before, regularizer=regularizer, given="", more=""))
    assert written in text.replace("0.5 * self.rate", "self.rate / 2")


@pytest.mark.parametrize("more", ["", "rate=7.0"])
@pytest.mark.parametrize(
    ("before", "regularizer"),
    [("pass", f"{L2}(rate)"), (f"reg = {L2}(rate)", "reg"), ("rate = 1.0", f"{L2}(rate)")],
)
def test_what_only_one_method_knows_stays(before: str, regularizer: str, more: str) -> None:
    given = PROGRAM.format(before=before, regularizer=regularizer, given="0.1", more=more)
    assert "the regularization losses of single variables" in stopped(given)
