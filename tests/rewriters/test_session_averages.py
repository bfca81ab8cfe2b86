"""Moving averages: made where the author keeps them, brought up to date after the step."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]), name='w')
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
ema = tf.train.ExponentialMovingAverage(0.9)
"""
TAIL = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train, {x: [[1, 2]]})
print(sess.run(ema.average(w)))
"""
DEPENDENT = """\
with tf.control_dependencies([step]):
    train = ema.apply([w])
"""
GROUPED = """\
averages = ema.apply(tf.trainable_variables())
train = tf.group(step, averages)
"""
NOTHING = """\
averages = ema.apply([w])
with tf.control_dependencies([step, averages]):
    train = tf.no_op(name='train')
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("train", [DEPENDENT, GROUPED, NOTHING])
def test_averages_begin_with_the_variables_and_follow_each_step(train: str) -> None:
    result = upgrade(HEAD + train + TAIL)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "\n# the averages begin as the variables are\nema.apply([w])\n" in text
    body = text.partition("def ")[2]
    assert body.index("optimizer.apply_gradients") < body.index("    ema.apply([w])\n")
    assert "print(ema.average(w).numpy())" in text


def test_a_saver_saves_averages_in_a_list() -> None:
    source = HEAD + GROUPED + "saver = tf.train.Saver()\n" + TAIL + "saver.save(sess, 'm')\n"
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    saved = "tf.train.Checkpoint(w=w, averages=[ema.average(v) for v in [w]], optimizer=optimizer)"
    assert saved in result.after.decode()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (HEAD + "train = ema.apply([loss])\n" + TAIL, "moving averages of a tensor"),
        (HEAD + "averages = ema.apply([w])\ntrain = step\nsaver = tf.train.Saver()\n" + TAIL
         + "saver.save(sess, 'm')\n", "a Saver would save moving averages that no run updates"),
        (HEAD + DEPENDENT + "saver = tf.train.Saver(ema.variables_to_restore())\n" + TAIL,
         "`.variables_to_restore()` of moving averages isn't followed"),
    ],
)  # fmt: skip
def test_what_keeps_a_session(source: str, reason: str) -> None:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    assert any(reason in f.message for f in result.left)
