"""Layers as objects whose base class applies them, in a model whose base class builds it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LAYERS = """\
import numpy as np
import tensorflow as tf


def ones(shape, name=None):
    return tf.Variable(tf.ones(shape), name=name)


class Layer(object):
    def __init__(self, name):
        self.name = self.__class__.__name__ + name
        self.vars = {}

    def _call(self, inputs):
        return inputs

    def __call__(self, inputs):
        with tf.name_scope(self.name):
            return self._call(inputs)


class Dense(Layer):
    def __init__(self, name, n, m, act=tf.nn.relu):
        super(Dense, self).__init__(name)
        self.act = act
        with tf.variable_scope(self.name + '_vars'):
            self.vars['weights'] = ones([n, m], name='weights')

    def _call(self, inputs):
        return self.act(tf.matmul(inputs, self.vars['weights']))


class Twice(Dense):
    def _call(self, inputs):
        return 2 * super(Twice, self)._call(inputs)


"""
MODEL = """\
class Model(object):
    def __init__(self, name=None):
        self.name = name
        self.vars = {}
        self.layers = []
        self.activations = []
        self.inputs = None
        self.loss = 0

    def _build(self):
        raise NotImplementedError

    def build(self):
        with tf.variable_scope(self.name):
            self._build()
        self.activations.append(self.inputs)
        for layer in self.layers:
            hidden = layer(self.activations[-1])
            self.activations.append(hidden)
        self.outputs = self.activations[-1]
        variables = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope=self.name)
        self.vars = {var.name: var for var in variables}
        for var in self.layers[0].vars.values():
            self.loss += 0.1 * tf.nn.l2_loss(var)
        self.loss += tf.reduce_mean(tf.square(self.outputs * self.rate))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


class Net(Model):
    def __init__(self, x, rate, **kwargs):
        super(Net, self).__init__(**kwargs)
        self.inputs = x
        self.rate = rate
        self.build()

    def _build(self):
        self.layers.append(Dense('a', 3, 4))
        self.layers.append(Twice('b', 4, 2, act=lambda x: x))


x = tf.placeholder(tf.float32, [None, 3])
rate = tf.placeholder_with_default(1., shape=())
net = Net(x, rate, name='net')
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([net.step, net.loss], {x: np.ones([2, 3]), rate: 0.5})[1])
print(sess.run(net.loss, {x: np.ones([2, 3])}))
"""


def test_a_base_class_applies_its_layers() -> None:
    found = after(LAYERS + MODEL)
    assert "        self.vars['weights'] = ones([n, m], name='weights')\n" in found
    assert "    return tf.Variable(tf.ones(shape), name=name)\n" in found
    assert "        return 2 * super(Twice, self)._call(inputs)\n" in found
    assert "                hidden = layer(activations[-1])\n" in found


def test_a_placeholder_stays_where_a_base_class_has_none() -> None:
    found = after(LAYERS + MODEL)
    assert "        self.inputs = x\n        self.rate = rate\n" in found
    assert "def compute_loss(inputs, rate=1.):\n" in found
    assert "get_collection" not in found
    assert "        self.vars = {}\n        self.layers = []\n" in found


@pytest.mark.parametrize(
    "read",
    ["print(net.vars)", "print(getattr(net, 'vars'))", "print(vars(net))", "print(net.__dict__)"],
)
def test_variables_that_are_kept_and_read_keep_the_session(read: str) -> None:
    line, _, reason = stopped(LAYERS + MODEL + read + "\n").partition(": ")
    assert "tf.get_collection(" in (LAYERS + MODEL).splitlines()[int(line) - 1]
    assert "variables" in reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "self.__class__.__name__ + name",
            "self.__class__.__name__ + name\n        self.shift = tf.constant(1.) * 2",
        ),
        ("return self._call(inputs)", "self.last = inputs\n            return self._call(inputs)"),
        (
            "        self.vars = {}\n\n    def _call",
            "        self.vars = {}\n        self.more = "
            "self.__class__ if name == 'c' else None\n\n    def _call",
        ),
        ("class Layer(object)", "class Layer(np.ndarray)"),
    ],
)
def test_a_base_class_that_does_more_keeps_the_session(old: str, new: str) -> None:
    assert old in LAYERS
    assert stopped(LAYERS.replace(old, new, 1) + MODEL)
