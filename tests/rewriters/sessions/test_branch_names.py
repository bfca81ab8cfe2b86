"""Names of tensors that a branch binds again: what is run is what they mean after it."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

BUILD = """\
import tensorflow as tf


def build(n, scaled):
    x = tf.placeholder(tf.float32, [None, n])
    w = tf.Variable(tf.ones([n, 4]))
    h = tf.matmul(x, w)
    if scaled:
        h = h * 0.5
    return x, h


x, h = build(3, len("a") > 0)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(h, {x: [[1.0, 2.0, 3.0]]}))
"""
HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(2.0)
a = x * w
b = x + w
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(a))
scaled = len("a") > 0
"""
RUN = "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_a_builder_returns_what_the_branch_made() -> None:
    result = upgrade(BUILD)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = str(result.after, "utf-8")
    head = "        h = tf.matmul(x, w)\n        if scaled:\n            h = h * 0.5\n"
    assert head + "        return h\n" in text


def test_an_item_of_a_tuple_is_that_of_the_branch() -> None:
    pair = "pair = (a, b)\nif scaled:\n    pair = (b, a)\n"
    result = upgrade(HEAD + pair + RUN + "print(sess.run(pair[0], {x: [[1.0, 2.0, 3.0]]}))\n")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "    if scaled:\n        pair = (b, a)\n    return pair[0]\n" in str(
        result.after, "utf-8"
    )


@pytest.mark.parametrize(
    "body",
    [
        "fetches = [train, a]\nif scaled:\n    fetches = [train, b]\n"
        + RUN
        + "print(sess.run(fetches, {x: [[1.0, 2.0, 3.0]]})[1])\n",
        # What is computed from the fed value isn't what computes it.
        "if scaled:\n    a = a + 1\nout = a * 10\n"
        + RUN
        + "print(sess.run(out, {a: [[1.0, 2.0, 3.0]]}))\n",
    ],
)
def test_what_is_fetched_or_fed_by_such_a_name_keeps_the_session(body: str) -> None:
    assert upgrade(HEAD + body).level is Level.COMPAT
