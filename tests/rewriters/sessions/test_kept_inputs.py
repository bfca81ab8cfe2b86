"""Layers as objects that keep placeholders: they are given them when they compute."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LAYERS = """\
import numpy as np
import tensorflow as tf


class Layer(object):
    def __init__(self, name):
        self.name = name

    def _call(self, inputs):
        return inputs

    def __call__(self, inputs):
        with tf.name_scope(self.name):
            return self._call(inputs)


class Mixed(Layer):
    def __init__(self, name, n, m, support, rate, dropout=False, act=tf.nn.relu):
        super(Mixed, self).__init__(name)
        if dropout:
            self.dropout = rate
        else:
            self.dropout = 0.
        self.act = act
        self.support = support
        self.w = tf.Variable(tf.ones([n, m]))

    def _call(self, inputs):
        x = tf.nn.dropout(inputs, 1 - self.dropout)
        return self.act(tf.matmul(self.support, tf.matmul(x, self.w)))


"""
NET = """\
class Net(object):
    def __init__(self, x, support, rate):
        self.x = x
        self.support = support
        self.rate = rate
        self.layers = []
        self.build()

    def _build(self):
        self.layers.append(Mixed('a', 3, 4, self.support, rate=self.rate, dropout=True))
        self.layers.append(Mixed('b', 4, 2, self.support, self.rate, act=lambda h: h))

    def build(self):
        self._build()
        h = self.x
        for layer in self.layers:
            h = layer(h)
        self.loss = tf.reduce_mean(tf.square(h))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


"""
RUN = """\
x = tf.placeholder(tf.float32, [2, 3])
support = tf.placeholder(tf.float32, [2, 2])
rate = tf.placeholder_with_default(0., [])
net = Net(x, support, rate)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([net.step, net.loss], {x: np.ones([2, 3]), support: np.eye(2)})[1])
"""
MODULE = """\
layers = [Mixed('a', 3, 4, support, rate, True), Mixed('b', 4, 2, support, rate=rate)]
h = x
for layer in layers:
    h = layer(h)
loss = tf.reduce_mean(tf.square(h))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
"""


def test_layers_are_given_what_they_kept() -> None:
    found = after(LAYERS + NET + RUN)
    assert "    def __init__(self, name, n, m, dropout=False, act=tf.nn.relu):\n" in found
    assert "        self.dropout = dropout\n        self.act = act\n        self.w" in found
    assert "    def __call__(self, inputs, support, dropout):\n" in found
    assert "            return self._call(inputs, support, dropout)\n" in found
    assert "1 - (dropout if self.dropout else 0.)" in found
    assert "tf.matmul(support, tf.matmul(x, self.w))" in found
    assert "self.layers.append(Mixed('a', 3, 4, dropout=True))\n" in found
    assert "self.layers.append(Mixed('b', 4, 2, act=lambda h: h))\n" in found
    assert "h = layer(h, support, rate)\n" in found


def test_layers_of_a_module() -> None:
    run = RUN.replace("net = Net(x, support, rate)\n", MODULE).replace("net.", "")
    found = after(LAYERS + run)
    assert "layers = [Mixed('a', 3, 4, True), Mixed('b', 4, 2)]\n" in found
    assert "h = layer(h, support, rate)\n" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.support, self.rate, act", "self.support * 2, self.rate, act"),
        ("self.support, self.rate, act", "self.other, self.rate, act"),
        (
            "            h = layer(h)\n",
            "            h = layer(h)\n            print(layer.support)\n",
        ),
        ("        h = self.x\n", "        self.support = self.support + 1\n        h = self.x\n"),
        (
            "        self.support = support\n        self.w",
            "        self.support = support + 0\n        self.w",
        ),
        (
            "        if dropout:\n            self.dropout = rate\n        else:\n            "
            "self.dropout = 0.",
            "        self.dropout = rate if dropout else 0.",
        ),
        ("for layer in self.layers:", "for layer in self.layers + [tf.nn.relu]:"),
        ("def _call(self, inputs):\n        x", "def _call(self, inputs, k=1.):\n        x"),
        (
            "self.w = tf.Variable(tf.ones([n, m]))",
            "self.w = tf.Variable(tf.ones([n, m]))\n        print(self.dropout)",
        ),
        (
            "class Net(object)",
            "def copied(of):\n    return getattr(of, 'support')\n\n\nclass Net(object)",
        ),
        ("class Net(object)", "KINDS = {'mixed': Mixed}\n\n\nclass Net(object)"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    source = LAYERS + NET + RUN
    assert old in source
    assert stopped(source.replace(old, new, 1))


def test_a_call_that_gives_too_little() -> None:
    source = LAYERS.replace("def _call(self, inputs)", "def _call(self, inputs, more)")
    assert stopped(source + NET + RUN)


def test_layers_that_are_applied_where_they_are_made() -> None:
    made = "    def build(self):\n"
    made += "        self.a = Mixed('a', 3, 4, self.support, self.rate, True)(self.x)\n"
    made += "        h = Mixed('b', 4, 2, rate=self.rate, support=self.support)(self.a)\n"
    start = NET.index("    def _build")
    found = after(LAYERS + NET[:start] + made + NET[NET.index("        self.loss") :] + RUN)
    assert "        mixed = Mixed('a', 3, 4, True)\n        mixed_2 = Mixed('b', 4, 2)\n" in found
    assert "h = mixed_2(a, support, rate)\n" in found
