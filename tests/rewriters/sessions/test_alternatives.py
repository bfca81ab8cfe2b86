"""A name that stands for one function or another."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

TWO = """\
import sys
import tensorflow as tf

bias = tf.placeholder(tf.float32, [])

def conv(x, scope):
    with tf.variable_scope(scope):
        return tf.layers.dense(x, 2)

def one(x, scope):
    with tf.variable_scope(scope):
        return conv(x, 'a')

def two(x, scope):
    with tf.variable_scope(scope):
        return conv(conv(x, 'a'), 'b')

def plain(x, scope):
    return tf.nn.relu(x)

def twice(x, scope):
    return 2 * x

def reads(x, scope):
    return x + bias

{choice}
x = tf.placeholder(tf.float32, [None, 3])
y = part(x, 'net')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1, 2, 3]], bias: 2}}))
"""
CONV, SECOND, PLAIN = (TWO.index(f"def {n}(") for n in ("conv", "two", "plain"))
WAYS = (
    "if len(sys.argv) > 1:\n    part = {}\nelse:\n    part = {}",
    "part = {} if len(sys.argv) > 1 else {}",
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("pair", [("one", "two"), ("plain", "one"), ("reads", "plain")])
def test_one_of_two_that_are_written_anew_keeps_the_session(
    way: str, pair: tuple[str, str]
) -> None:
    assert "one value or another is called" in stopped(TWO.format(choice=way.format(*pair)))


@pytest.mark.parametrize("way", WAYS)
def test_either_may_compute(way: str) -> None:
    source = TWO[:CONV] + TWO[PLAIN:]
    text = after(source.format(choice=way.format("plain", "twice")).replace(", bias: 2", ""))
    assert "y = part(x, 'net')" in text or "return part(x, 'net')" in text


@pytest.mark.parametrize("way", WAYS)
def test_one_function_twice_is_that_function(way: str) -> None:
    source = TWO[:SECOND] + TWO[PLAIN:]
    text = after(source.format(choice=way.format("one", "one")).replace(", bias: 2", ""))
    assert "y_layer = part('net')" in text or "y_layer = one('net')" in text


def test_a_maker_of_variables_or_another_op() -> None:
    choice = (
        "g = tf.constant if len(sys.argv) > 1 else tf.Variable\npart = lambda x, s: x * g([2.])"
    )
    stopped(TWO.format(choice=choice).replace(", bias: 2", ""))
