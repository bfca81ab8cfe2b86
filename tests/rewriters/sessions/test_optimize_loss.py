"""`tf.contrib.layers.optimize_loss`: the optimizer and the gradients that it makes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
step = tf.Variable(0, trainable=False, name="step")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train_op = tf.contrib.layers.optimize_loss({arguments})
{more}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {run} = sess.run([loss, train_op], {{x: np.ones((3, 2))}})
    print({shown})
"""


def program(arguments: str, more: str = "", run: str = "value, _", shown: str = "value") -> str:
    return PROGRAM.format(arguments=arguments, more=more, run=run, shown=shown)


def test_the_optimizer_gets_a_name() -> None:
    text = after(program('loss, step, 0.1, "SGD"'))
    assert "optimizer = tf.keras.optimizers.SGD(0.1)" in text
    assert "step.assign_add(1)" in text
    assert "clip_by_global_norm" not in text


def test_gradients_are_clipped_together() -> None:
    text = after(program('loss, step, 0.1, "Momentum", clip_gradients=5.0'))
    assert "tf.clip_by_global_norm(tape.gradient(loss, variables), 5.0)" in text
    assert "0.9" in text  # TF 1's momentum under this name


def test_a_class_of_optimizers() -> None:
    assert "tf.keras.optimizers.Adam(0.1" in after(
        program("loss, step, 0.1, tf.train.AdamOptimizer")
    )


def test_the_loss_that_it_gives() -> None:
    text = after(program('loss, step, 0.1, "SGD"', run="value, trained", shown="trained"))
    assert "train_op = tf.identity(loss)\n" in text
    found: dict[str, Any] = {}
    exec(text, found)
    assert float(found["trained"]) == 4.0  # TF 1.15.5's


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            program('loss + 0.0, step, 0.1, "SGD"', run="value, trained", shown="trained"),
            "the loss that optimize_loss gives is read",
        ),
        (
            program('loss, step, 0.1, "SGD", gradient_noise_scale=0.1'),
            "`gradient_noise_scale` of optimize_loss",
        ),
        (
            program('loss, step, 0.1, "SGD", clip_gradients=np.float64(3)'),
            "whether optimize_loss clips gradients isn't seen",
        ),
        (
            program('loss, step, 0.1, "SGD"', "merged = tf.summary.merge_all()"),
            "the summaries of optimize_loss are merged",
        ),
        (
            program("loss, step, 0.1, lambda rate: tf.train.AdamOptimizer(rate)"),
            "the optimizer of optimize_loss isn't seen",
        ),
        (
            program('loss, None, 0.1, "SGD"', "counter = tf.train.get_or_create_global_step()"),
            "optimize_loss counts a global step that it isn't given",
        ),
    ],
)
def test_what_keeps_the_session(text: str, reason: str) -> None:
    assert reason in stopped(text)
