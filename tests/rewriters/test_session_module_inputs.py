"""Functions that make variables and read their inputs from the module: they are given them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
keep_prob = tf.placeholder(tf.float32)


def net({parameters}):
    w = tf.Variable(tf.ones([3, 2]))
    return tf.nn.dropout(tf.matmul(x, w), keep_prob)


{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[1.0, 2.0, 3.0]], keep_prob: 1.0}}))
"""


def upgrade(parameters: str, *calls: str) -> FileResult:
    source = PROGRAM.format(parameters=parameters, calls="\n".join(calls))
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("parameters", "calls", "head", "made"),
    [
        ("", ["out = net()"], "def net():", "out_layer = net()"),
        ("n=2", ["out = net()"], "def net(n=2):", "out_layer = net()"),
        ("n", ["out = net(n=2)"], "def net(n):", "out_layer = net(n=2)"),
        ("n", ["out = net(1) + net(2)"], "def net(n):", "net(2)"),
    ],
)
def test_it_is_given_what_it_reads(parameters: str, calls: list[str], head: str, made: str) -> None:
    result = upgrade(parameters, *calls)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert head in text
    assert made in text
    assert "    def apply(x, keep_prob):\n" in text


@pytest.mark.parametrize(
    ("parameters", "calls"),
    [
        # Where it is called, the name means something else.
        ("", ["def build(x):", "    return net()", "out = build(2)"]),
        # It is more than called.
        ("", ["made = [net]", "out = made[0]()"]),
        ("*sizes", ["out = net(1, 2)"]),
    ],
)
def test_what_isnt_seen_keeps_the_session(parameters: str, calls: list[str]) -> None:
    assert upgrade(parameters, *calls).level is Level.COMPAT
