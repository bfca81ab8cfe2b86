"""Properties that ask the graph for an object's variables by the name that it was made with."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

GAN = """\
import tensorflow as tf


class Net(object):
    def __init__(self, scope="net"):
        self.scope = scope

    def __call__(self, x, reuse=False):
        with tf.variable_scope(self.scope, reuse=reuse):
            return tf.layers.dense(x, 4, name="o")

    @property
    def vars(self):
        return [v for v in tf.trainable_variables() if v.name.startswith(self.scope)]


x = tf.placeholder(tf.float32, [None, 4])
z = tf.placeholder(tf.float32, [None, 4])
g = Net("gen")
d = Net("dis")
fake = g(z)
real_d = d(x)
fake_d = d(fake, True)
d_loss = tf.reduce_mean(real_d) - tf.reduce_mean(fake_d)
g_loss = tf.reduce_mean(fake_d)
d_step = tf.train.GradientDescentOptimizer(0.1).minimize(d_loss, var_list=d.vars)
g_step = tf.train.GradientDescentOptimizer(0.1).minimize(g_loss, var_list=g.vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(d_step, {x: [[1, 2, 3, 4]], z: [[1, 2, 3, 4]]})
    print(sess.run([g_step, g_loss], {z: [[1, 2, 3, 4]]})[1])
"""
COLLECTED = "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.scope)"
LISTED = "[v for v in tf.trainable_variables() if v.name.startswith(self.scope)]"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        (LISTED, COLLECTED),
        (LISTED, "[v for v in tf.global_variables() if self.scope in v.name]"),
        ('g = Net("gen")', 'g = Net(scope="gen")'),
        ('g = Net("gen")', "g = Net()"),
    ],
)
def test_each_object_has_its_own(old: str, new: str) -> None:
    assert old in GAN
    text = after(GAN.replace(old, new) if old else GAN)
    assert "def vars" not in text
    assert "fake_layer = g()\n" in text
    kind = "weights" if "global" in new else "trainable_variables"
    for layer, loss in (("fake_layer", "g_loss"), ("real_d_layer", "d_loss")):
        said = f"variables = [v for layer in {layer}.layers for v in layer.{kind}]\n"
        assert f"{said}    gradients = tape.gradient({loss}, variables)\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('g = Net("gen")', "g = Net(input())"),
        (
            "        self.scope = scope",
            '        scope = scope + "_net"\n        self.scope = scope',
        ),
        ('d = Net("dis")\n', 'd = Net("dis")\ng.scope = "other"\n'),
        ('d = Net("dis")\n', 'd, g = Net("dis"), g\n'),
        ("    @property\n", "    @functools.lru_cache()\n"),
    ],
)
def test_names_that_arent_seen_stay(old: str, new: str) -> None:
    assert old in GAN
    stopped(GAN.replace(old, new))


NAMED = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.name = "net"

    def __call__(self, x):
        with tf.variable_scope(self.name):
            return tf.layers.dense(x, 4, name="o")

    @property
    def vars(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.name)


class Model(object):
    def __init__(self, net, size):
        self.net = net
        self.size = size
        self.x = tf.placeholder(tf.float32, [None, self.size])
        self.y = self.net(self.x)
        for var in self.net.vars:
            print(var.name)


net = Net()
model = Model(net, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(model.y, {model.x: [[1, 2, 3]]}))
"""


def test_names_are_told_by_the_name_that_a_class_gives_its_objects() -> None:
    text = after(NAMED)
    assert (
        "        for name in ['net/o/kernel:0', 'net/o/bias:0']:\n            print(name)\n" in text
    )
    assert ".build(" not in text  # they are names of what the first call makes
    stopped(NAMED.replace('self.name = "net"', "self.name = input()"))
