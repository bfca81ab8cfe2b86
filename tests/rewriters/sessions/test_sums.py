"""Sums of tensors that begin with a number, and lists of fetches that are put together."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
w = tf.Variable(tf.ones([2, 1]))
"""
SUM = "for part in tf.split(x, 2, 1):\n    loss += tf.reduce_mean(tf.matmul(part, w))\n"
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss, {x: [[1.0, 2.0, 3.0, 4.0]]}))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize("first", ["0", "0.0", "-1.0", "tf.constant(0.0)"])
def test_the_number_goes_along(first: str) -> None:
    new = native(HEAD + f"# all parts\nloss = {first}\n" + SUM + RUN)
    assert f"def compute_loss(x):\n    # all parts\n    loss = {first}\n    for part in" in new


def test_an_attribute() -> None:
    new = native(
        """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable(2.0)
        self.loss = 0
        self.add(self.w * self.x)

    def add(self, product):
        self.loss += tf.reduce_sum(product)
        self.loss += 0.1 * tf.nn.l2_loss(self.w)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.loss, {model.x: [1.0]}))
"""
    )
    assert "            loss = 0\n            loss += tf.reduce_sum(" in new


@pytest.mark.parametrize(
    "between", ["print(loss)\n", "limit = loss + 1\n", "def shown():\n    return loss\n"]
)
def test_a_number_that_python_reads_too(between: str) -> None:
    result = upgrade(HEAD + "loss = 0.0\n" + between + SUM + RUN + "print(1)\n")
    assert result.level is Level.COMPAT


def test_a_number_of_another_time() -> None:
    new = native(HEAD + "loss = 0.0\n" + SUM + RUN + "loss = 0\nloss += 1\nprint(loss)\n")
    assert new.endswith("loss = 0\nloss += 1\nprint(loss)\n")


@pytest.mark.parametrize(
    "made",
    ["[y] + [z]", "(y,) + (z,)", "[y, z] * 2", "[y]\nboth += [z]", "[y]\nboth.extend([z])"],
)
def test_lists_that_are_fetched(made: str) -> None:
    new = native(
        HEAD + f"y = tf.matmul(x[:, :2], w)\nz = y + 1.0\nboth = {made}\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(both, {x: [[1.0, 2.0, 3.0, 4.0]]}))\n"
    )
    call = "compute_both([[1.0, 2.0, 3.0, 4.0]])"
    assert f"print(tf.nest.map_structure(lambda t: t.numpy(), {call}))" in new
