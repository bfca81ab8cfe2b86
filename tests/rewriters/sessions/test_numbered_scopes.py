"""Layers in scopes with numbers in their names, and switches that feed dicts with names feed."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, sizes):
        self.sizes = sizes
        self.training = tf.placeholder(tf.bool)
        self.x = tf.placeholder(tf.float32, [None, 6, 4])
        self.infer()
        vs = [v for v in tf.trainable_variables() if 'bias' not in v.name]
        self.loss = tf.reduce_sum(self.logits) + tf.add_n([tf.nn.l2_loss(v) for v in vs])
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            self.step = tf.train.AdamOptimizer(0.1).minimize(self.loss)

    def infer(self):
        self.wide = tf.expand_dims(self.x, -1)
        found = []
        for size in self.sizes:
            with tf.variable_scope("conv-%s" % size):
                w = tf.get_variable("w-%s" % size, [size, 4, 1, 2])
                h = tf.nn.conv2d(self.wide, w, strides=[1, 1, 1, 1], padding="VALID")
                h = tf.contrib.layers.batch_norm(h, is_training=self.training, scope="bn_")
                shape = [1, 6 - size + 1, 1, 1]
                found.append(tf.nn.max_pool(h, shape, [1, 1, 1, 1], "VALID"))
        h = tf.reshape(tf.concat(found, 3), [-1, 2 * len(self.sizes)])
        self.logits = tf.layers.dense(h, 2)


def check(sess, net):
    feed = {net.x: np.ones([2, 6, 4]), net.training: False}
    loss, logits = sess.run([net.loss, net.logits], feed)
    return loss, logits


net = Net([2, 3])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        feed = {net.x: np.ones([2, 6, 4]), net.training: i >= 0}
        print(sess.run([net.loss, net.step], feed)[0])
    print(check(sess, net))
"""


def test_a_word_in_names_in_which_a_number_is_computed() -> None:
    text = after(NET)
    assert "for layer in self.bn__layers for v in layer.trainable_variables" in text
    assert "if 'bias' not in v.name" in text


def test_what_is_computed_in_a_name_may_be_a_word() -> None:
    assert stopped(NET.replace("6 - size + 1", "1"))
    assert stopped(NET.replace("'bias' not in", "'2' not in"))


def test_a_switch_that_may_be_set_behind_the_display() -> None:
    reason = "a run that trains leaves the averages"
    changed = "    feed[net.training] = True\n    loss, logits"
    assert reason in stopped(NET.replace("    loss, logits", changed))
    given = "    print(len(feed), more(feed))\n    loss, logits"
    more = "def more(feed):\n    return feed\n\n\nnet = "
    assert stopped(NET.replace("    loss, logits", given).replace("net = ", more, 1))
    assert "averages" in stopped(NET.replace("net.training: False", "net.training: net.sizes"))
