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


BLOCKS = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
training = tf.placeholder(tf.bool)


def block({parameters}):
    h = tf.layers.dense(h, n)
    return tf.layers.dropout(tf.nn.relu(h), 0.1, training=training)


{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[1.0, 2.0, 3.0, 4.0]], training: False}}))
"""
OBJECT = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 4])
        self.training = tf.placeholder(tf.bool)
        h = self.block({first})
        self.out = self.block(h, 3)

    def block({parameters}):
        h = tf.layers.dense(h, n)
        return tf.layers.dropout(h, 0.1, training=self.training)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {{net.x: [[1.0, 2.0, 3.0, 4.0]], net.training: False}}))
"""


@pytest.mark.parametrize(
    ("parameters", "calls", "applied", "called"),
    [
        # After all that it is given, by name where a call gives something by name.
        ("h, n", ["out = block(block(x, 4), 3)"], "(h, training)", "block(3)"),
        ("h, n", ["out = [block(block(x, 4), 3) for _ in range(1)][0]"], "", None),
        ("h, n", ["h = block(x, 4)", "out = block((h), (3))"], "(h, training)", "block(3)"),
        ("h, n", ["h = block(x,", "          4,)", "out = block(h, n=3)"], "(h, training)", "n=3"),
        ("h, n", ["h = block(x, 4  # units", ")", "out = block(h, 3)"], "", None),
        # Before it, where there are defaults.
        ("h, n=4", ["out = block(block(x), 3)"], "(training, h)", "block(3)"),
    ],
)
def test_a_block_is_given_the_switch_that_it_reads(
    parameters: str, calls: list[str], applied: str, called: str | None
) -> None:
    source = BLOCKS.format(parameters=parameters, calls="\n".join(calls))
    (result,) = texts({"program.py": source.encode()}, Options())
    if not applied:  # a loop, a comment where the argument would stand
        assert result.level is Level.COMPAT
        return
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert f"    def apply{applied}:\n" in text
    assert called in text


@pytest.mark.parametrize("parameters", ["self, h, n", "self, h, n=4"])
@pytest.mark.parametrize("first", ["self.x, 4", "(self.x), n=4", "self.x, 4,"])
def test_a_method_is_given_the_switch_of_its_object(parameters: str, first: str) -> None:
    source = OBJECT.format(parameters=parameters, first=first)
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    order = "training, h" if "=" in parameters else "h, training"
    assert f"        def apply({order}):\n" in result.after.decode()


def test_a_method_that_is_given_away_keeps_the_session() -> None:
    source = OBJECT.format(parameters="self, h, n", first="self.x, 4") + "print(Net.block)\n"
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT
