"""Batch normalization by hand: `tf.train.ExponentialMovingAverage` of a batch's moments."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def normed(x, size, train):
    beta = tf.Variable(tf.zeros([size]), name='beta')
    mean, variance = tf.nn.moments(x, [0])
    ema = tf.train.ExponentialMovingAverage(decay=0.9)

    def updated():
        apply_op = ema.apply([mean, variance])
        with tf.control_dependencies([apply_op]):
            return tf.identity(mean), tf.identity(variance)

    m, v = tf.cond(train, updated, lambda: (ema.average(mean), ema.average(variance)))
    return tf.nn.batch_normalization(x, m, v, beta, None, 1e-3)


x = tf.placeholder(tf.float32, [None, 3])
train = tf.placeholder(tf.bool, [])
y = normed(x, 3, train)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0, 3.0]], train: True}))
"""
MOVED = "moving_mean.assign_sub((moving_mean - mean) * tf.subtract(1.0, 0.9))"
CALL = "ema.apply([mean, variance])"


def test_updates_in_a_branch() -> None:
    text = after(NET)
    assert "    moving_mean = tf.Variable(tf.zeros([size]), trainable=False, name=" in text
    assert MOVED in text
    assert "lambda: (moving_mean, moving_variance))" in text
    assert "ema" not in text.replace("remaining", "")


def test_updates_beside_the_condition_come_behind_what_is_read() -> None:
    text = after(
        NET.replace(f"        apply_op = {CALL}\n", "").replace(
            "    def updated", f"    apply_op = {CALL}\n\n    def updated"
        )
    )
    read = text.index("moving_mean_before = tf.identity(moving_mean)")
    assert read < text.index(MOVED) < text.index("def updated")
    assert "lambda: (moving_mean_before, moving_variance_before))" in text


def test_inner_functions_have_names_of_their_own() -> None:
    other = "    def other():\n        mean = 1.0\n        return mean\n\n    def updated"
    assert MOVED in after(NET.replace("    def updated", other))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # averages that something else reads, or of another kind
        ("    return tf.nn", "    print(ema.average_name(mean))\n    return tf.nn"),
        ("decay=0.9)", "decay=0.9, zero_debias=True)"),
        ("decay=0.9)", "decay=0.9, num_updates=size)"),
        # the moments aren't those of one call, or have all dimensions
        ("[0])", "[0], keep_dims=True)"),
        ("    ema = ", "    mean = mean + 1.0\n    ema = "),
        # no offset tells the size
        ("tf.Variable(tf.zeros([size]), name='beta')", "size * 1.0"),
    ],
)
def test_what_is_not_told_keeps_the_session(old: str, new: str) -> None:
    reason = stopped(NET.replace(old, new))
    assert "averages" in reason
    assert after(NET)


def test_a_function_that_only_updates_and_waits_stands_where_it_is_called() -> None:
    text = after(
        NET.replace(
            "    m, v = tf.cond(train, updated,"
            " lambda: (ema.average(mean), ema.average(variance)))\n",
            "    m, v = updated()\n",
        )
    )
    assert f"        {MOVED}\n" in text
    assert "        m = tf.identity(mean)\n" in text
    assert "updated" not in text
    assert "tf.group" not in text
