"""Later sessions that restore what an earlier one has trained, where there is a checkpoint."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(tf.random_normal([]))
loss = tf.reduce_sum(tf.square(w * x))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
init = tf.global_variables_initializer()
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(init)
    sess.run(train, {{x: [1.0]}})
    saver.save(sess, 'save/model')
with tf.Session() as sess:
    {first}
    ckpt = tf.train.get_checkpoint_state('save')
    if ckpt and ckpt.model_checkpoint_path:
        saver.restore(sess, ckpt.model_checkpoint_path)
    {more}
    print(sess.run(loss, {{x: [1.0]}}))
"""


@pytest.mark.parametrize("more", ["pass", "else:\n        print('no checkpoint')"])
def test_runs_need_what_is_restored(more: str) -> None:
    text = after(PROGRAM.format(first="pass", more=more))
    assert ".read(ckpt.model_checkpoint_path)" in text


@pytest.mark.parametrize(
    ("first", "more"),
    [
        ("pass", "else:\n        sess.run(init)"),
        ("sess.run(init)", "pass"),
        ("pass", "sess.run(init)"),
    ],
)
def test_sessions_that_start_anew_stay(first: str, more: str) -> None:
    assert stopped(PROGRAM.format(first=first, more=more))
