"""Summaries called after the variables of gradients, beside updates that these wait for."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


def on_cpu(name, shape):
    with tf.device("/cpu:0"):
        return tf.get_variable(name, shape, initializer=tf.constant_initializer(0.5))


def inference(x):
    with tf.variable_scope("hidden"):
        hidden = tf.matmul(x, on_cpu("weights", [3, 2]))
    with tf.variable_scope("out"):
        return tf.matmul(hidden, on_cpu("weights", [2, 1]))


x = tf.placeholder(tf.float32, [None, 3])
step = tf.train.get_or_create_global_step()
loss = tf.reduce_mean(tf.square(inference(x) - 1.0))
rate = tf.train.exponential_decay(0.1, step, 2, 0.5)
tf.summary.scalar("rate", rate)
opt = tf.train.GradientDescentOptimizer(rate)
{grads}
train_op = opt.apply_gradients(grads, global_step=step)
for grad, var in grads:
    if grad is not None:
        {body}
{more}merged = tf.summary.merge_all()
writer = tf.summary.FileWriter("events")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        _, summary = sess.run([train_op, merged], {{x: np.ones([2, 3])}})
        writer.add_summary(summary, i)
writer.close()
"""
ALL = "grads = opt.compute_gradients(loss)"
TAGGED = 'tf.summary.histogram(var.op.name + "/gradients", grad)'
NAMES = "['hidden/weights', 'out/weights']"


def program(grads: str = ALL, body: str = TAGGED, more: str = "") -> str:
    return PROGRAM.format(grads=grads, body=body, more=more)


@pytest.mark.parametrize(
    "grads",
    [
        ALL,
        "grads = opt.compute_gradients(loss, var_list=tf.trainable_variables())",
        "vs = tf.trainable_variables()\ngrads = opt.compute_gradients(loss, vs)",
    ],
)
def test_the_names_are_those_of_tf1(grads: str) -> None:
    text = after(program(grads))
    assert f"var_names = {NAMES}\n" in text
    assert "    for (grad, var), var_name in zip(grads, var_names):\n" in text
    assert '            gradient_summaries[var_name + "/gradients"] = grad\n' in text
    assert "watched_variables" not in text  # another order


@pytest.mark.parametrize(
    "other",
    [
        program(body=f"{TAGGED}\n        print(var.name)"),
        program(body=f"var = var\n        {TAGGED}"),
        program("vs = tf.trainable_variables()[::-1]\ngrads = opt.compute_gradients(loss, vs)"),
        program(more="print(var.name)\n"),
    ],
    ids=["both names", "bound again", "another order", "behind the loop"],
)
def test_what_isnt_told_keeps_the_session(other: str) -> None:
    stopped(other)


def test_what_waits_as_gradients_do_needn_t_wait_for_the_update() -> None:
    waited = """\
counted = tf.Variable(0.0, trainable=False)
with tf.control_dependencies([tf.assign_add(counted, 1.0)]):
    grads = opt.compute_gradients(loss)"""
    text = after(program(waited))
    order = ["counted.assign_add(1.0)", "gradient_summaries[", '"rate": rate(step)']
    places = [text.index(part) for part in (*order, "opt.apply_gradients", "step.assign_add")]
    assert places == sorted(places)
