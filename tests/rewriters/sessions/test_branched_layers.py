"""Layers that a branch of a function makes, listed on its condition; functions by other names."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


def flatten(x):
    return tf.layers.flatten(x)


def conv(x, n, stride=1, scope='conv_0'):
    with tf.variable_scope(scope):
        return tf.layers.conv2d(x, n, 3, stride, padding='SAME',
                                kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))


def dense(x, n):
    with tf.variable_scope('dense'):
        x = flatten(x)
        return tf.layers.dense(x, n, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))


def block(x, n, down=False, scope='block'):
    with tf.variable_scope(scope):
        if down:
            y = conv(x, n, 2, scope='conv_0')
            x = conv(x, n, 2, scope='short')
        else:
            y = conv(x, n, scope='conv_0')
        return x + conv(tf.nn.relu(y), n, scope='conv_1')


class Net(object):
    def __init__(self, sess, n):
        self.sess = sess
        self.n = n

    def net(self, x, reuse=False):
        with tf.variable_scope('net', reuse=reuse):
            part = block
            x = conv(x, 2, scope='conv')
            for i in range(self.n):
                x = part(x, 2, scope='block0_' + str(i))
            x = part(x, 4, down=True, scope='block1')
            return dense(x, 3)

    def build(self):
        self.x = tf.placeholder(tf.float32, [4, 4, 4, 1])
        self.logits = self.net(self.x)
        self.again = self.net(self.x, reuse=True)
        self.loss = tf.reduce_mean(tf.square(self.logits))
        self.loss += tf.losses.get_regularization_loss()
        self.step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(self.loss)
        self.train_loss = tf.summary.scalar("train_loss", self.loss)

    def train(self):
        tf.global_variables_initializer().run()
        writer = tf.summary.FileWriter('logs')
        r = np.random.RandomState(0)
        for i in range(3):
            _, loss, shown = self.sess.run(
                [self.step, self.loss, self.train_loss], {self.x: r.rand(4, 4, 4, 1)})
            writer.add_summary(shown, i)
            print('%.4f' % loss)


with tf.Session() as sess:
    net = Net(sess, 2)
    net.build()
    net.train()
"""


def test_layers_of_a_branch_are_listed_on_its_condition() -> None:
    text = after(NET)
    lists = [line.strip() for line in text.splitlines() if "if down else []" in line]
    assert lists, text
    assert "*([*conv_0_layer.layers, *short_layer.layers] if down else [])" in text
    assert "if not down else []" in text
    assert "for loss in layer.losses" in text


def test_a_condition_that_changes_isn_t_asked_again() -> None:
    changed = NET.replace("        if down:\n", "        down = down and n > 2\n        if down:\n")
    assert "what a branch makes is asked for by name" in stopped(changed)


@pytest.mark.parametrize("scope", ["'train_' + str(i)", "'block%d' % i"])
def test_scopes_that_a_function_is_given_by_another_name(scope: str) -> None:
    source = NET.replace("'block0_' + str(i)", scope)
    if scope.startswith("'train_"):
        assert "`train_loss` is free" in stopped(source)
    else:
        assert "tf.summary.scalar" in after(source)
