"""Saves that may come before anything is trained, in programs that restore."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.layers.dense(x, 1)
loss = tf.reduce_mean(tf.square(y - 1.0))
train = tf.train.RMSPropOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    last = tf.train.latest_checkpoint("kept")
    if last:
        saver.restore(sess, last)
    for i in range(2):
        saver.save(sess, "kept/model")
        for j in range(3):
            print(sess.run([train, loss], {x: np.ones([2, 3])})[1])
"""
TRAIN = "train = tf.train.RMSPropOptimizer(0.1).minimize(loss)\n"
SAVE = '        saver.save(sess, "kept/model")\n'
BUILT = """\
y_layer = tf.keras.layers.Dense(1)
y_layer.build([None, 3])
"""


def test_all_is_made_before_it_is_restored() -> None:
    text = after(SOURCE)
    assert BUILT in text
    assert "\noptimizer.build(y_layer.trainable_variables)\nlast = " in text


def test_a_save_behind_the_training_needs_nothing() -> None:
    text = after(SOURCE.replace(SAVE, "") + SAVE)
    assert "build(" not in text


def test_nothing_is_restored() -> None:
    restored = "    if last:\n        saver.restore(sess, last)\n"
    assert "build(" not in after(SOURCE.replace(restored, ""))


def test_a_restore_in_a_later_session_needs_nothing() -> None:
    last = '    last = tf.train.latest_checkpoint("kept")\n'
    restored = last + "    if last:\n        saver.restore(sess, last)\n"
    later = 'with tf.Session() as sess:\n    saver.restore(sess, "kept/model")\n'
    later += "    print(sess.run(loss, {x: np.ones([2, 3])}))\n"
    assert restored in SOURCE
    assert "build(" not in after(SOURCE.replace(restored, "") + later)


def test_an_optimizer_without_slots() -> None:
    text = after(SOURCE.replace("RMSPropOptimizer", "GradientDescentOptimizer"))
    assert BUILT in text
    assert "optimizer.build" not in text


def test_variables_in_the_order_in_which_they_are_made() -> None:
    dense = "tf.layers.dense(x, 1)"
    text = after(SOURCE.replace(dense, "tf.matmul(x, tf.Variable(tf.ones([3, 1]), name='w'))"))
    assert "optimizer.build([w])" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[None, 3]", "[None, None]"),
        ("y = tf.layers.dense(x, 1)", "y = tf.layers.dense(x, 1) * tf.get_variable('w', [1])"),
        (TRAIN, f"one = {TRAIN[8:]}two = {TRAIN[8:]}train = tf.group(one, two)\n"),
    ],
)
def test_what_cannot_be_told_keeps_the_session(old: str, new: str) -> None:
    assert "may be saved before" in stopped(SOURCE.replace(old, new, 1))
