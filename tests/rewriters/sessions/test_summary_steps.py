"""Steps of summaries: TF 1 takes int() of them, tf.summary wants whole numbers."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

SOURCE = """\
import os
import tensorflow as tf

n, batch = 20, 4
path = os.path.join('logs', 'model.ckpt-7')
x = tf.placeholder(tf.float32, [2])
loss = tf.reduce_mean(x)
merged = tf.summary.scalar('loss', loss)
with tf.Session() as sess:
    writer = tf.summary.FileWriter('logs')
    for epoch in range(2):
        text = sess.run(merged, {{x: [1.0, 2.0]}})
        {before}
        writer.add_summary(text, {step})
"""


@pytest.mark.parametrize(
    ("before", "step"),
    [
        ("pass", "epoch * n / batch"),
        ("step = path.split('-')[-1]", "step"),
        ("step = epoch\n        step += 0.5", "step"),
        ("pass", "'3'"),
    ],
)
def test_texts_and_fractions_are_whole_numbers(before: str, step: str) -> None:
    assert f"write_summaries(writer, text, int({step}))" in after(
        SOURCE.format(before=before, step=step)
    )


@pytest.mark.parametrize(
    ("before", "step"),
    [("pass", "epoch"), ("step = epoch * n // batch", "step"), ("step = int(n / 2)", "step")],
)
def test_whole_numbers_stay(before: str, step: str) -> None:
    assert f"write_summaries(writer, text, {step})" in after(
        SOURCE.format(before=before, step=step)
    )
