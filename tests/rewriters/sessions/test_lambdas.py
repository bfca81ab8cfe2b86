"""Lambdas that read parts of a graph, or run it."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
n = tf.placeholder(tf.int32, [])
y = tf.reduce_sum(x)
sess = tf.Session()
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_one_that_reads_a_placeholder_goes_with_its_graph() -> None:
    new = native(
        HEAD + "less = lambda i: tf.less(i, n)\n"
        "z = tf.cond(less(2), lambda: y, lambda: -y)\n"
        "print(sess.run(z, {n: 3, x: [1.0]}))\n"
    )
    assert "    less = lambda i: tf.less(i, n)\n    return tf.cond(less(2), lambda: y" in new


def test_one_that_reads_another_tensor_and_is_called() -> None:
    new = native(
        HEAD + "scale = lambda v: v * y\nz = scale(x)\nprint(sess.run(z, {x: [1.0, 2.0]}))\n"
    )
    assert "    y = tf.reduce_sum(x)\n    scale = lambda v: v * y\n    return scale(x)\n" in new


def test_one_that_runs_is_a_function() -> None:
    new = native(HEAD + "ask = lambda v, w=1.0: sess.run(y, {x: [v, w]})\nprint(ask(2.0))\n")
    assert "def ask(v, w=1.0):\n    return compute_y([v, w]).numpy()\nprint(ask(2.0))\n" in new


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("list(map(lambda v: sess.run(y, {x: [v]}), r))", "[compute_y([v]).numpy() for v in r]"),
        (
            "sum(map(lambda v: y.eval({x: [v]}, sess), r))",
            "sum((compute_y([v]).numpy() for v in r))",
        ),
    ],
)
def test_one_that_is_mapped_is_a_comprehension(before: str, after: str) -> None:
    assert f"print({after})\n" in native(HEAD + f"r = [1.0, 2.0]\nprint({before})\n")


@pytest.mark.parametrize(
    "body",
    [
        "print(sorted([1.0, 2.0], key=lambda v: sess.run(y, {x: [v]})))\n",
        "fs = [lambda v: v * y]\nz = fs[0](x)\nprint(sess.run(z, {x: [1.0]}))\n",
        "print(list(map(lambda v, w: sess.run(y, {x: [v, w]}), [1.0], [2.0])))\n",
    ],
)
def test_others_keep_the_session(body: str) -> None:
    assert upgrade(HEAD + body).level is Level.COMPAT


KEPT = """\
import json

import tensorflow as tf

json.encoder.FLOAT_REPR = lambda o: format(o, '.3f')
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
y = tf.matmul(x, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0]]}))
"""


def test_one_of_python_may_be_kept_in_an_attribute() -> None:
    assert "json.encoder.FLOAT_REPR = lambda o: format(o, '.3f')\n" in native(KEPT)
    other = KEPT.replace("format(o, '.3f')", "tf.cast(o, tf.float32)")
    assert upgrade(other).level is Level.COMPAT
