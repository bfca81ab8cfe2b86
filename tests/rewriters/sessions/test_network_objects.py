"""Objects that are networks: called like functions, named by what they are made with."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

GAN = """\
import numpy as np
import tensorflow as tf


class Generator(object):
    def __init__(self):
        self.name = "G"
        self.dim = 3

    def __call__(self, z):
        with tf.variable_scope(self.name):
            h = tf.layers.dense(z, 4, tf.nn.relu)
            return tf.layers.dense(h, self.dim)

    @property
    def vars(self):
        return [v for v in tf.global_variables() if self.name in v.name]


class Discriminator(object):
    def __init__(self):
        self.name = "D"

    def __call__(self, x, reuse=False):
        with tf.variable_scope(self.name) as scope:
            if reuse:
                scope.reuse_variables()
            return tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 1)

    @property
    def vars(self):
        return tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.name)


class GAN(object):
    def __init__(self, generator, discriminator):
        self.generator = generator
        self.discriminator = discriminator
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.z = tf.placeholder(tf.float32, [None, 2])
        self.fake = self.generator(self.z)
        self.d_real = self.discriminator(self.x)
        self.d_fake = self.discriminator(self.fake, reuse=True)
        self.d_loss = tf.reduce_mean(tf.nn.softplus(-self.d_real) + tf.nn.softplus(self.d_fake))
        self.g_loss = tf.reduce_mean(tf.nn.softplus(-self.d_fake))
        d_vars = self.discriminator.vars
        self.d_solver = tf.train.AdamOptimizer().minimize(self.d_loss, var_list=d_vars)
        g_vars = self.generator.vars
        self.g_solver = tf.train.AdamOptimizer().minimize(self.g_loss, var_list=g_vars)
        self.sess = tf.Session()

    def train(self):
        self.sess.run(tf.global_variables_initializer())
        x, z = np.ones([8, 3]), np.ones([8, 2])
        print(self.sess.run([self.d_solver, self.d_loss], feed_dict={self.x: x, self.z: z}))
        print(self.sess.run([self.g_solver, self.g_loss], feed_dict={self.z: z}))


gan = GAN(Generator(), Discriminator())
gan.train()
"""
TWO = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, name, n):
        self.name = name
        self.n = n

    def {call}(self, x, reuse=False):
        with tf.variable_scope(self.name, reuse={reuse}):
            return tf.layers.dense(x, self.n)


g = Net("G", 3)
f = Net("F", 3)
x = tf.placeholder(tf.float32, [None, 3])
gx = g{of}(x)
fx = f{of}(gx)
y = {last}{of}(x, reuse=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([fx, y], {{x: np.ones([2, 3])}}))
"""
NORM = """\
import numpy as np
import tensorflow as tf


class batch_norm(object):
    def __init__(self, epsilon=1e-5, momentum=0.9, name="batch_norm"):
        with tf.variable_scope(name):
            self.epsilon = epsilon
            self.momentum = momentum
            self.name = name

    def __call__(self, x, train=True):
        return tf.contrib.layers.batch_norm(x, decay=self.momentum, updates_collections=None,
                                            epsilon=self.epsilon, scale=True, is_training=train,
                                            scope=self.name)


class Net(object):
    def __init__(self, sess):
        self.sess = sess
        self.d_bn1 = batch_norm(name="d_bn1")
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = self.net(self.x)
        self.sampler = self.net(self.x, train=False, reuse=True)
        self.loss = tf.reduce_mean(tf.square(self.y - 1.0))
        d_vars = [v for v in tf.trainable_variables() if "{word}" in v.name]
        self.step = tf.train.AdamOptimizer(0.1).minimize(self.loss, var_list=d_vars)

    def net(self, x, train=True, reuse=False):
        with tf.variable_scope("net") as scope:
            if reuse:
                scope.reuse_variables()
            h = tf.nn.relu(self.d_bn1(tf.layers.dense(x, 4, name="d_h0"), train=train))
            return tf.layers.dense(h, 1, name="d_h1")


with tf.Session() as sess:
    net = Net(sess)
    sess.run(tf.global_variables_initializer())
    print(sess.run([net.step, net.loss], {{net.x: np.ones([2, 3])}}))
    print(sess.run(net.sampler, {{net.x: np.ones([2, 3])}}))
"""


def test_networks_that_an_object_is_given_are_called() -> None:
    text = after(GAN)
    assert "fake_layer = self.generator()" in text
    assert "def __call__(self):" in text
    assert "d_fake = compute_d_fake(z)" in text


def test_a_property_of_variables_goes_where_it_is_read() -> None:
    text = after(GAN)
    assert "def vars" not in text
    assert ".vars" not in text
    assert "for layer in fake_layer.layers for v in layer.weights" in text


@pytest.mark.parametrize(("call", "of"), [("__call__", ""), ("apply", ".apply")])
def test_what_is_found_again_is_that_object_s(call: str, of: str) -> None:
    text = after(TWO.format(call=call, of=of, reuse="reuse", last="f"))
    assert "y = fx_layer(x)" in text
    text = after(TWO.format(call=call, of=of, reuse="reuse", last="g"))
    assert "y = gx_layer(x)" in text


def test_one_object_or_another_keeps_the_session() -> None:
    text = TWO.format(call="__call__", of="", reuse="reuse", last="[g, f][0]")
    assert "variables of one object or another are found again" in stopped(text)
    text = TWO.format(call="__call__", of="", reuse="tf.AUTO_REUSE", last="f")
    assert "the variables that are used again aren't seen" in stopped(text)


def test_a_norm_that_is_an_object_has_its_name() -> None:
    text = after(NORM.format(word="d_"))
    assert 'self.d_bn1 = batch_norm(name="d_bn1")' in text
    assert "d_bn1_layer = self.d_bn1()" in text
    assert "for layer in y_layer.layers for v in layer.trainable_variables" in text


def test_a_name_that_some_of_them_have() -> None:
    assert "some of the variables" in stopped(NORM.format(word="d_bn"))
