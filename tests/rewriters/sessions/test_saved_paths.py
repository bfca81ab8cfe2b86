"""Paths of checkpoints that are computed where they are saved."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]), name="w")
step = w.assign_add([[1.0], [1.0]])
saver = tf.train.Saver(max_to_keep=2)
losses = []
best = 0.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        losses.append(float(i))
        best = max(best, losses[-1])
        sess.run(step)
        saver.save(sess, {path}, global_step=i)
"""


@pytest.mark.parametrize(
    "path", ['"m/w-{:.3f}".format(best)', '"m/w-%d" % len(losses)', '"m/w-" + str(round(best))']
)
def test_each_save_has_a_manager(path: str) -> None:
    text = after(PROGRAM.format(path=path))
    loop = text.partition("for i in range(3):")[2]
    assert "tf.train.CheckpointManager(" in loop
    assert text.count("CheckpointManager") == 1
    assert f"os.path.basename({path})" in loop


def test_a_path_that_something_else_gives() -> None:
    assert "computed where it is saved" in stopped(PROGRAM.format(path='"m/%s" % input()'))
