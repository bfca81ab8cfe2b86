"""`tf.losses` in functions: weights, reductions and smoothed labels; their numbers are those of
fixtures/native/weighted_losses.
"""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.placeholder(tf.float32, [None, 1])
much = 0.1
h = tf.layers.dense(x, 2)
loss = LOSS
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2, 3]], y: [[0, 1]], w: [[1]]})
"""
SUM = "reduction=tf.losses.Reduction.SUM"


def upgraded(loss: str) -> tuple[str, list[str]]:
    (result,) = texts({"a.py": PROGRAM.replace("LOSS", loss).encode()}, Options())
    return (result.after or b"").decode(), [f.message for f in result.left]


@pytest.mark.parametrize(
    ("loss", "new"),
    [
        ("tf.losses.huber_loss(y, h)", "tf.reduce_mean(tf.keras.losses.huber(y, h))"),
        ("tf.losses.huber_loss(y, h, 0.5)", "tf.reduce_mean(0.5 * huber_losses(y, h))"),
        (
            "tf.losses.huber_loss(y, h, w, 0.2)",
            "weighted_loss(huber_losses(y, h, delta=0.2), w)",
        ),
        (f"tf.losses.huber_loss(y, h, {SUM})", "tf.reduce_sum(huber_losses(y, h))"),
        (
            f"tf.losses.absolute_difference(y, h, 2.0, {SUM})",
            "tf.reduce_sum(2.0 * tf.abs(h - y))",
        ),
        (
            "tf.losses.sigmoid_cross_entropy(y, h, label_smoothing=much)",
            "labels=y * (1 - much) + 0.5 * much, logits=h",
        ),
        (
            "tf.contrib.losses.softmax_cross_entropy(h, y, label_smoothing=0.2)",
            "labels=smoothed(y, 0.2), logits=h",
        ),
        ("tf.losses.sigmoid_cross_entropy(y, h, label_smoothing=0)", "labels=y, logits=h"),
    ],
)
def test_what_a_loss_is(loss: str, new: str) -> None:
    text, left = upgraded(loss)
    assert new in text, (text, left)
    assert "Session" not in text


def test_weights_that_are_fed_have_a_mean() -> None:
    _, left = upgraded(f"tf.losses.huber_loss(y, h, w, {SUM})")
    assert any("`weights` and this `reduction` of tf.losses.huber_loss" in m for m in left)
