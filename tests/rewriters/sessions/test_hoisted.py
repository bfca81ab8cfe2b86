"""Train ops that branches make: what all of them end with stands behind them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

kind = 'sgd'
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: [[1, 2]]})
"""
DIRECT = """\
if kind == 'adam':
    train_op = tf.train.AdagradOptimizer(0.1).minimize(loss)
elif kind == 'sgd':
    # the slow one
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
        loss)
else:
    {last}
"""
NAMED = """\
if kind == 'adam':
    opt = tf.train.AdagradOptimizer(0.1)
    pairs = opt.compute_gradients(loss)
    train_op = opt.apply_gradients(pairs)
else:
    opt = tf.train.GradientDescentOptimizer(0.1)
    pairs = opt.compute_gradients(loss)
    train_op = opt.apply_gradients(pairs)
"""


def upgrade(branches: str) -> FileResult:
    (result,) = texts({"program.py": (HEAD + branches + RUN).encode()}, Options())
    return result


def native(branches: str) -> str:
    result = upgrade(branches)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_an_optimizer_is_chosen_and_the_op_is_made_behind_the_branches() -> None:
    text = native(DIRECT.format(last="raise ValueError(kind)"))
    assert (
        "if kind == 'adam':\n"
        "    optimizer = tf.keras.optimizers.Adagrad(0.1, epsilon=0)\n"
        "elif kind == 'sgd':\n"
        "    # the slow one\n"
        "    optimizer = tf.keras.optimizers.SGD(0.1)\n"
        "else:\n"
        "    raise ValueError(kind)\n"
    ) in text
    assert text.count("optimizer.apply_gradients(") == 1


def test_gradients_that_all_branches_compute_stand_behind_them() -> None:
    text = native(NAMED)
    assert "else:\n    opt = tf.keras.optimizers.SGD(0.1)\n\n\n@tf.function" in text
    assert text.count("opt.apply_gradients(pairs)") == 1


@pytest.mark.parametrize(
    "branches",
    [
        DIRECT.format(last="pass"),  # no op at all
        DIRECT.format(last="train_op = tf.train.AdamOptimizer(0.1).minimize(2 * loss)"),
        NAMED.replace("else:\n    opt = ", "else:\n    opt = sgd = "),
        # a branch that isn't written, and what holds there
        "train_op = tf.no_op()\n" + NAMED.replace("else:", "elif kind == 'sgd':"),
    ],
)
def test_branches_that_end_otherwise_keep_the_session(branches: str) -> None:
    result = upgrade(branches)
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert "in a loop, a branch or a helper" in finding.message
