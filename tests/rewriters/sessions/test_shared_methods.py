"""Objects that share their variables, and are built by methods; what only one of them trains."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, size, training=False):
        self.size = size
        self.x = tf.placeholder(tf.float32, [size, 3])
        self._build()
        if training:
            # the first one
            self._train(0.1)

    def _build(self):
        self._hidden(4)
        with tf.variable_scope("out"):
            w = tf.get_variable("w", [4, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.h, w) - 1.0))

    def _hidden(self, units):
        v = tf.get_variable("v", [3, units])
        self.h = tf.nn.relu(tf.matmul(self.x, v))

    def _train(self, rate):
        self.step = tf.train.GradientDescentOptimizer(rate).minimize(self.loss)


with tf.variable_scope("net"):
    first = Net(2, training=True)
with tf.variable_scope("net", reuse=True):
    second = Net(1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        print(sess.run([first.loss, first.step], {first.x: np.ones((2, 3))})[0])
    print(sess.run(second.loss, {second.x: np.ones((1, 3))}))
"""


def test_methods_are_given_the_object_whose_variables_they_take() -> None:
    text = after(PROGRAM)
    assert "def __init__(self, size, training=False, shared=None):" in text
    assert "        self._build(shared)\n" in text
    assert "    def _build(self, shared):\n        self._hidden(4, shared)\n" in text
    assert "    def _hidden(self, units, shared):\n        self.v = shared.v if shared else" in text
    assert "self.w = shared.w if shared else tf.Variable(" in text
    assert "second = Net(1, shared=first)\n" in text
    assert "def _train(self, rate):" in text


def test_a_last_branch_that_trains_leaves_early() -> None:
    text = after(PROGRAM)
    assert (
        "        if not training:\n"
        "            return\n"
        "        # the first one\n"
        "        self._train(0.1)\n"
    ) in text


def test_a_method_with_a_default_is_given_it_by_name() -> None:
    text = after(PROGRAM.replace("(self, units):", "(self, units=4):").replace("n(4)", "n()"))
    assert "self._hidden(shared=shared)\n" in text
    assert "def _hidden(self, units=4, shared=None):" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self._hidden(4)", "for _ in range(1):\n            self._hidden(4)"),  # not surely once
        ("        v = tf.get_variable", "        w = tf.get_variable"),  # two of one name
        ("self._hidden(4)", "self._hidden(*[4])"),
        (
            '        w = tf.get_variable("w", [4, 1])',
            '        w = tf.get_variable("w%d" % self.size, [4, 1])',
        ),
        ("tf.matmul(self.x, v)", "tf.layers.dense(tf.matmul(self.x, v), 4)"),
    ],
)
def test_other_methods_keep_the_session(old: str, new: str) -> None:
    program = PROGRAM.replace(old, new)
    if '        w = tf.get_variable("v"' in program:
        program = program.replace("(self.x, v)", "(self.x, w)")
    assert program != PROGRAM
    assert stopped(program)


@pytest.mark.parametrize(
    "more",
    [
        "        else:\n            self.step = None\n",
        "        print(self.size)\n",
    ],
)
def test_a_branch_that_is_not_the_last_thing_keeps_the_session(more: str) -> None:
    program = PROGRAM.replace("self._train(0.1)\n", f"self._train(0.1)\n{more}")
    assert "an optimizer is made in a loop, a branch" in stopped(program)
