"""Monitored sessions of programs of several files: the summaries of all are written."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = b"""\
import tensorflow as tf


def loss_of(x):
    w = tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))
    y = w * x
    tf.summary.scalar("y", y)
    return tf.square(y)
"""
TRAIN = b"""\
import tensorflow as tf

import net

step = tf.train.get_or_create_global_step()
loss = net.loss_of(tf.constant(1.5))
tf.summary.scalar("loss", loss)
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
with tf.train.MonitoredTrainingSession(
    checkpoint_dir="logs", save_summaries_steps=2, save_checkpoint_secs=None,
    hooks=[tf.train.StopAtStepHook(last_step=5)],
) as sess:
    while not sess.should_stop():
        sess.run(train_op)
"""


def upgraded(train: bytes) -> FileResult:
    found = texts({"net.py": NET, "train.py": train}, Options())
    return next(result for result in found if result.path == "train.py")


def test_what_another_file_makes_is_written_beside_its_own() -> None:
    result = upgraded(TRAIN)
    assert result.level is Level.NATIVE
    assert b'"y": y,\n        "loss": loss,\n' in (result.after or b"")


def test_what_only_another_file_makes_is_written() -> None:
    result = upgraded(TRAIN.replace(b'tf.summary.scalar("loss", loss)\n', b""))
    assert result.level is Level.NATIVE
    assert b'"y": y' in (result.after or b"")


def test_what_another_file_may_make_and_doesn_t_keeps_the_session() -> None:
    unread = NET.replace(b'    tf.summary.scalar("y", y)\n', b"")
    unread += b'\n\ndef more(x):\n    tf.summary.scalar("x", x)\n'
    train = TRAIN.replace(b'tf.summary.scalar("loss", loss)\n', b"")
    found = texts({"net.py": unread, "train.py": train}, Options())
    (result,) = (r for r in found if r.path == "train.py")
    assert result.level is Level.COMPAT
    assert "no summaries are seen" in " ".join(f.message for f in result.left)
