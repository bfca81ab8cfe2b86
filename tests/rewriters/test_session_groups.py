"""Train ops that are made inside a group, beside other ops; builders whose result goes on at once."""

from __future__ import annotations

import pytest
from rewriters.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(0.5)
count = tf.Variable(0, trainable=False)
loss = tf.reduce_sum(tf.square(w * x))
mean, update = tf.metrics.mean(x * w)
train = tf.group({given})
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    sess.run(train, {{x: [1.0, 2.0]}})
    print(sess.run([mean, count]))
"""
MINIMIZE = "tf.train.GradientDescentOptimizer(0.3).minimize(loss)"


@pytest.mark.parametrize(
    ("other", "line"),
    [
        ("update", "mean(tf.reshape(x * w, [-1]))\n"),
        ("tf.assign_add(count, 1)", "count.assign_add(1)\n"),
        ("count.assign_add(1)", "count.assign_add(1)\n"),
    ],
)
@pytest.mark.parametrize("given", ["{minimize}, {other}", "{other}, {minimize}"])
def test_the_others_run_too(given: str, other: str, line: str) -> None:
    text = after(PROGRAM.format(given=given.format(minimize=MINIMIZE, other=other)))
    assert line in text
    assert "apply_gradients" in text


BUILD = """\
import tensorflow as tf


def build():
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(0.5)
    loss = tf.reduce_sum(tf.square(w * x))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return dict(x=x, loss=loss, train=train)


def fit(g, rounds):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(rounds):
            _, loss = sess.run([g['train'], g['loss']], {{g['x']: [1.0, 2.0]}})
    return loss


{call}
"""


def test_what_is_built_gets_a_name() -> None:
    text = after(BUILD.format(call="print(fit(build(), 3))"))
    assert "fit(" in text
    assert ".numpy()" in text


def test_what_is_called_behind_another_call_stays() -> None:
    assert "gets no name" in stopped(BUILD.format(call="print(sum([1]), fit(build(), 3))"))
