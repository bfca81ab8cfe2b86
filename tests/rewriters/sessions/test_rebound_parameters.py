"""Parameters that say what the tensor of their name is."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


def fit(data, loss, rate=0.1):
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.Variable(tf.ones([2, 1]))
    out = tf.matmul(x, w)
    if loss == "square":
        loss = tf.reduce_mean(tf.square(out))
    elif loss == "abs":
        out = out * 2.0
        loss = tf.reduce_mean(tf.abs(out))
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(2):
            sess.run(train, {x: data})
        print(sess.run(loss, {x: data}))


for kind in ("square", "abs"):
    fit(np.ones([3, 2]), kind)
"""


def test_the_tensor_has_a_name_of_its_own() -> None:
    text = after(SOURCE)
    assert '        if loss == "square":\n            loss_value = tf.reduce_mean(' in text
    assert "tape.gradient(loss_value, variables)" in text
    assert "        return loss_value\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A tensor that is given is used as it is.
        ('loss == "square"', "loss is None"),
        ("    train = tf", "    loss = loss * 2.0\n    train = tf"),
        ("        loss = tf.reduce_mean(tf.abs(out))", "        loss += tf.reduce_mean(out)"),
        ("        print(sess", "        print([loss for _ in data])\n        print(sess"),
    ],
)
def test_what_is_bound_otherwise_keeps_the_session(old: str, new: str) -> None:
    assert old in SOURCE
    stopped(SOURCE.replace(old, new))
