"""Variables that are made inside of an expression get names above it, or keep the session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf


def weight(shape):
    return tf.Variable(tf.ones(shape))


x = tf.placeholder(tf.float32, [None, 4])
"""
RUN = """
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1.0, 2.0, 3.0, 4.0]]}))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("made", "above", "inside"),
    [
        (
            "y = tf.matmul(x, tf.Variable(tf.ones([4, 2])))",
            "weights = tf.Variable(tf.ones([4, 2]))",
            "return tf.matmul(x, weights)",
        ),
        (
            "y = tf.matmul(x, weight([4, 2])) + weight([2])",
            "weights = weight([4, 2])\nbiases = weight([2])",
            "return tf.matmul(x, weights) + biases",
        ),
        (
            "y = tf.nn.bias_add(x, tf.Variable(tf.zeros([4]), name='offset'))",
            "offset = tf.Variable(tf.zeros([4]), name='offset')",
            "return tf.nn.bias_add(x, offset)",
        ),
        (
            "y = -x\ny += tf.Variable(1.0)",
            "variable = tf.Variable(1.0)",
            "y += variable",
        ),
        (
            "weights = 2\ny = weights * tf.matmul(x, weight([4, 2]))",
            "weights_2 = weight([4, 2])",
            "return weights * tf.matmul(x, weights_2)",
        ),
    ],
)
def test_it_gets_a_name(made: str, above: str, inside: str) -> None:
    result = upgrade(HEAD + made + RUN)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    before, _, function = result.after.decode().partition("@tf.function")
    assert above in before
    assert inside in function


def test_a_function_that_applies_what_it_makes() -> None:
    source = HEAD.replace(
        "\n\nx =", "\n\ndef dense(v, n):\n    return tf.matmul(v, weight([4, n]))\n\n\nx ="
    )
    result = upgrade(source + "y = dense(x, 2)" + RUN)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert (
        "def dense(n):\n    weights = weight([4, n])\n\n"
        "    def apply(v):\n        return tf.matmul(v, weights)\n"
    ) in result.after.decode()


@pytest.mark.parametrize(
    "made",
    [
        "y = x * tf.Variable(2.0) if len([1]) else x",
        "y = tf.add_n([x * tf.Variable(float(i)) for i in range(3)])",
        "y = (lambda v: v * tf.Variable(2.0))(x)",
    ],
)
def test_what_is_made_perhaps_or_often_keeps_the_session(made: str) -> None:
    result = upgrade(HEAD + made + RUN)
    assert result.level is Level.COMPAT
    assert [f.line for f in result.left if f.rule == "TFM420"] == [9]
