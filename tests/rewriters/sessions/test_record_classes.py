"""Functions that return their graph as a named tuple (fixtures: record_of_*)."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
from collections import OrderedDict, namedtuple
import numpy as np
import tensorflow as tf


def build(size):
    x = tf.placeholder(tf.float32, [None, size])
    w = tf.Variable(tf.zeros([size]))
    y = tf.reduce_sum(x * w, 1)
    train = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(y))
    Net = namedtuple('Net', ['x', 'out', 'train'])
    return Net(x, out=y + 1, train=train)


net = build(3)
print(OrderedDict(a=1))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(net.train, {net.x: np.ones((2, 3))})
    print(sess.run(net.out, {net.x: np.ones((2, 3))}))
"""
RETURN = "    return Net(x, out=y + 1, train=train)\n"


def test_a_class_has_the_fields() -> None:
    text = after(PROGRAM)
    assert "from collections import OrderedDict\n" in text
    assert "\n\nclass Net:\n    def __init__(self, size):\n        self.x = tf.TensorSpec" in text
    assert "\nnet = Net(3)\n" in text
    assert "return y + 1" in text
    assert "namedtuple" not in text


def test_its_name_may_be_taken() -> None:
    text = after(PROGRAM.replace("print(OrderedDict(a=1))", "print((lambda Net: Net)(1))"))
    assert "class Net_2:\n" in text
    assert "\nnet = Net_2(3)\n" in text


def test_a_function_may_be_given_it() -> None:
    run = PROGRAM[PROGRAM.index("with tf.Session") :]
    given = "def use(it):\n" + textwrap.indent(run, "    ").replace("net.", "it.")
    assert "class Net" in after(PROGRAM.replace(run, f"{given}\n\nuse(net)\n"))
    assert "class Net" in after(PROGRAM.replace(run, f"{given}\n\nuse(it=net)\n"))
    stopped(PROGRAM.replace(run, f"{given}    print(len(it))\n\nuse(net)\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print(OrderedDict(a=1))", "print(net._fields)"),
        ("print(OrderedDict(a=1))", "x, out, train = net"),
        ("print(OrderedDict(a=1))", "print(len(net))"),
        ("net = build(3)", "nets = [build(3)]\nnet = nets[0]"),
        ("print(OrderedDict(a=1))", "other = net\nprint(other[0])"),
        (RETURN, f"    if size > 9:\n        return None\n{RETURN}"),
        ("['x', 'out', 'train']", "['x', 'out', 'train', 'more'][:size]"),
    ],
)
def test_what_else_asks_for_the_tuple_keeps_it(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
