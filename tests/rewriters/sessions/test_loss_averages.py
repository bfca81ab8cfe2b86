"""Averages and summaries of a list of losses, which TF 1 calls after the losses' ops."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

HALF = False
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable("w", [3, 1], {typed}initializer=tf.constant_initializer(0.5))
decay = tf.multiply(tf.nn.l2_loss(w), 0.1, name="decay")
{listed}
total = tf.add_n(losses, name="total")
averages = tf.train.ExponentialMovingAverage(0.9{name})
averaged = averages.apply(losses + [total])
for l in losses + [total]:
    {body}
{more}with tf.control_dependencies([averaged]):
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(total)
merged = tf.summary.merge_all()
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(4):
        sess.run([train_op, merged], {{x: np.ones([2, 3])}})
    saver.save(sess, "model.ckpt")
"""
LISTED = """\
error = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="error")
losses = [decay, error]"""
BODY = """tf.summary.scalar(l.op.name + " (raw)", l)
    tf.summary.scalar(l.op.name, averages.average(l))"""


def program(
    listed: str = LISTED, body: str = BODY, name: str = "", more: str = "", typed: str = ""
) -> str:
    return PROGRAM.format(listed=listed, body=body, name=name, more=more, typed=typed)


def test_each_loss_has_a_variable_and_summaries() -> None:
    text = after(program())
    for own, called in (("decay", "decay"), ("error", "error"), ("total", "total")):
        saved = f'name="{called}/ExponentialMovingAverage"'
        assert f"{own}_average = tf.Variable(0.0, trainable=False, {saved})\n" in text
        moved = f"({own}_average - {own}) * tf.subtract(1.0, 0.9)"
        assert f"    {own}_average.assign_sub({moved})\n" in text
        assert f'"{called}__raw_": {own},\n' in text
        assert f'"{called}_1": {own}_average.read_value()' in text
        assert f"{own}_average={own}_average" in text  # in the checkpoint


def test_a_type_that_the_graph_decides_is_the_variables() -> None:
    typed = "tf.float16 if HALF else tf.float32, "
    text = after(program(typed=typed).replace("matmul(x, w)", "matmul(tf.cast(x, w.dtype), w)"))
    assert "error_average = tf.Variable(0.0, trainable=False, dtype=w.dtype, name=" in text
    assert "(error_average - error) * tf.cast(tf.subtract(1.0, 0.9), w.dtype)" in text


@pytest.mark.parametrize(
    "listed",
    [
        LISTED.replace("losses = [decay, error]", "losses = [decay]\nlosses.append(error)"),
        LISTED.replace("losses = [decay, error]", "first = [decay]\nlosses = []\nlosses += first")
        + "\nlosses.append(error)",
        "losses = [decay]\n"
        'losses.append(tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="error"))',
    ],
    ids=["appended", "added", "without a name"],
)
def test_lists_that_statements_fill(listed: str) -> None:
    text = after(program(listed, name=', name="avg"'))
    assert 'error_average = tf.Variable(0.0, trainable=False, name="error/avg")\n' in text
    assert '"error__raw_": error,\n' in text


@pytest.mark.parametrize(
    "other",
    [
        program(LISTED.replace(', name="error"', "")),
        program(more="print(l)\n"),
        program(more="tf.moving_average_variables()\n"),
        program(body=f"{BODY}\n    print(l)"),
        program(f"{LISTED}\nlosses.reverse()"),
        program(f"{LISTED}\nif HALF:\n    losses.append(tf.identity(error, name='again'))"),
        program(LISTED.replace("losses =", "error = tf.identity(error, name='e')\nlosses =")),
        program(f"{LISTED}\ndef more():\n    losses.append(tf.identity(error, name='e'))\nmore()"),
    ],
    ids=[
        *("no name", "read behind the loop", "the averages' names", "something else"),
        *("turned round", "a branch", "bound again", "in a function"),
    ],
)
def test_what_isnt_told_keeps_the_session(other: str) -> None:
    stopped(other)
