"""Helpers that make a variable, called in a loop that builds."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


def bias(shape):
    return tf.Variable(tf.constant(0.1, shape=shape))


x = tf.placeholder(tf.float32, [None, 2])
h = x
for size in [3, 1]:
    b = bias([size])
    h = tf.reduce_sum(h, 1, keep_dims=True) * b
loss = tf.reduce_mean(h)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1, 2]]})
    print(sess.run(loss, {x: [[1, 2]]}))
    saver.save(sess, "./model")
"""


def test_each_rounds_variable_goes_to_a_list() -> None:
    text = after(PROGRAM)
    assert "bs = [bias([size]) for size in [3, 1]]\n" in text
    assert "    for b in bs:\n" in text
    assert "saver = tf.train.Checkpoint(bs=bs, optimizer=optimizer)\n" in text


def test_calls_outside_of_the_loop_keep_their_names() -> None:
    text = after(PROGRAM.replace("loss = ", "last = bias([1])\nloss = last[0] + "))
    assert "last = bias([1])\n" in text
    assert "tf.train.Checkpoint(last=last, bs=bs, optimizer=optimizer)" in text


def test_what_a_branch_of_the_loop_makes_stays_where_it_is_saved() -> None:
    source = PROGRAM.replace("    b = bias([size])", "    if size > 1:\n        b = bias([size])")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT


def test_a_decay_is_read_by_eval() -> None:
    text = after(
        PROGRAM.replace("r(0.1)", "r(rate)")
        .replace("loss)\n", "loss, global_step=step)\n", 1)
        .replace("train = ", "step = tf.train.get_or_create_global_step()\n"
                 "rate = tf.train.exponential_decay(0.1, step, 3, 0.9)\ntrain = ")
        .replace("print(", "print(rate.eval(), rate.eval(session=sess), ")
    )  # fmt: skip
    assert "print(rate(step).numpy(), rate(step).numpy(), " in text
