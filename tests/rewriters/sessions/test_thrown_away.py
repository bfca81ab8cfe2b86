"""A run whose result is thrown away: it computes all the same, and stops where it can't."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(1.0)
y = tf.gather(x, 3) * w
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run({fetch}, {{x: [1, 2, 3, 4]}})
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_what_is_only_computed_is_returned() -> None:
    result = upgrade(HEAD + RUN.format(fetch="y"))
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "return tf.gather(x, 3) * w" in after
    assert "\ncompute_y([1, 2, 3, 4])\n" in after


def test_beside_a_step_nothing_is_returned() -> None:
    train = "step = tf.train.GradientDescentOptimizer(.1).minimize(y)\n"
    result = upgrade(HEAD + train + RUN.format(fetch="[y, step]"))
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "return" not in after
