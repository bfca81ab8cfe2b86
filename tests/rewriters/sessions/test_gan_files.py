"""A GAN of several files: weights that nobody reads, a sampler, summaries that a method merges."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

OPS = """\
import tensorflow as tf
from tensorflow.python.framework import ops


class batch_norm(object):
    def __init__(self, epsilon=1e-5, momentum=0.9, name="batch_norm"):
        with tf.variable_scope(name):
            self.epsilon = epsilon
            self.momentum = momentum
            self.name = name

    def __call__(self, x, train=True):
        return tf.contrib.layers.batch_norm(x, decay=self.momentum, updates_collections=None,
                                            epsilon=self.epsilon, scale=True, scope=self.name)


def binary_cross_entropy(preds, targets, name=None):
    with ops.op_scope([preds, targets], name, "bce_loss") as name:
        return tf.reduce_mean(-(targets * tf.log(preds) + (1.0 - targets) * tf.log(1.0 - preds)))


def deconv2d(input_, output_shape, stddev=0.2, name="deconv2d", with_w=False):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [3, 3, output_shape[-1], input_.get_shape()[-1]],
                            initializer=tf.random_normal_initializer(stddev=stddev))
        deconv = tf.nn.conv2d_transpose(input_, w, output_shape=output_shape, strides=[1, 2, 2, 1])
        biases = tf.get_variable("biases", [output_shape[-1]],
                                 initializer=tf.constant_initializer(0.0))
        deconv = tf.nn.bias_add(deconv, biases)
        if with_w:
            return deconv, w, biases
        else:
            return deconv


def linear(input_, output_size, scope=None, stddev=0.2, with_w=False):
    shape = input_.get_shape().as_list()
    with tf.variable_scope(scope or "Linear"):
        matrix = tf.get_variable("Matrix", [shape[1], output_size], tf.float32,
                                 tf.random_normal_initializer(stddev=stddev))
        bias = tf.get_variable("bias", [output_size], initializer=tf.constant_initializer(0.0))
        if with_w:
            return tf.matmul(input_, matrix) + bias, matrix, bias
        else:
            return tf.matmul(input_, matrix) + bias
"""
MODEL = """\
import numpy as np
import tensorflow as tf

from ops import *


class Net(object):
    def __init__(self, sess, size=8, batch_size=4, dim=4):
        self.sess = sess
        self.size = size
        self.batch_size = batch_size
        self.dim = dim
        self.g_bn0 = batch_norm(name="g_bn0")
        self.g_bn1 = batch_norm(name="g_bn1")
        self.build_model()

    def build_model(self):
        self.inputs = tf.placeholder(tf.float32, [self.batch_size, self.size, self.size, 1])
        self.z = tf.placeholder(tf.float32, [None, 6], name="z")
        self.G = self.generator(self.z)
        self.D, self.D_logits = self.discriminator(self.inputs, reuse=False)
        self.D_, self.D_logits_ = self.discriminator(self.G, reuse=True)
        self.sample = self.sampler(self.z)
        self.d_sum = tf.summary.histogram("d", self.D)
        self.d__sum = tf.summary.histogram("d_", self.D_)
        self.d_loss_real = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=self.D_logits, labels=tf.ones_like(self.D)))
        self.d_loss_fake = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=self.D_logits_, labels=tf.zeros_like(self.D_)))
        self.g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(
            logits=self.D_logits_, labels=tf.ones_like(self.D_)))
        self.d_loss_real_sum = tf.summary.scalar("d_loss_real", self.d_loss_real)
        self.d_loss = self.d_loss_real + self.d_loss_fake
        self.g_loss_sum = tf.summary.scalar("g_loss", self.g_loss)
        self.d_loss_sum = tf.summary.scalar("d_loss", self.d_loss)
        t_vars = tf.trainable_variables()
        self.d_vars = [var for var in t_vars if "d_" in var.name]
        self.g_vars = [var for var in t_vars if "g_" in var.name]

    def train(self, rate, steps):
        d_optim = tf.train.AdamOptimizer(rate, beta1=0.5) \\
            .minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.AdamOptimizer(rate, beta1=0.5) \\
            .minimize(self.g_loss, var_list=self.g_vars)
        init_op = tf.global_variables_initializer()
        self.sess.run(init_op)
        self.g_sum = tf.summary.merge([self.d__sum, self.g_loss_sum])
        self.d_sum = tf.summary.merge([self.d_sum, self.d_loss_real_sum, self.d_loss_sum])
        writer = tf.summary.FileWriter("./logs")
        rng = np.random.RandomState(0)
        for i in range(steps):
            images = rng.uniform(-1, 1, [self.batch_size, self.size, self.size, 1])
            z = rng.uniform(-1, 1, [self.batch_size, 6])
            _, text, loss = self.sess.run([d_optim, self.d_sum, self.d_loss],
                                          feed_dict={self.inputs: images, self.z: z})
            writer.add_summary(text, i)
            _, text = self.sess.run([g_optim, self.g_sum], feed_dict={self.z: z})
            writer.add_summary(text, i)
            print(i, loss, self.g_loss.eval({self.z: z}))
            if i % 5 == 4:
                print(np.mean(self.sess.run(self.sample, {self.z: z}) ** 2))

    def test(self):
        self.sess.run(tf.global_variables_initializer())
        z = np.random.RandomState(0).uniform(-1, 1, [self.batch_size, 6])
        print(self.sess.run(self.sample, {self.z: z}).shape)

    def discriminator(self, image, reuse=False):
        with tf.variable_scope("discriminator") as scope:
            if reuse:
                tf.get_variable_scope().reuse_variables()
            else:
                assert tf.get_variable_scope().reuse == False
            h = tf.nn.relu(linear(tf.reshape(image, [self.batch_size, -1]), 5, "d_h0_lin"))
            h1 = linear(h, 1, "d_h1_lin")
            return tf.nn.sigmoid(h1), h1

    def generator(self, z):
        with tf.variable_scope("generator") as scope:
            s = self.size
            s2, s4 = int(s / 2), int(s / 4)
            self.z_, self.h0_w, self.h0_b = linear(z, self.dim * s4 * s4, "g_h0_lin", with_w=True)
            h0 = tf.nn.relu(self.g_bn0(tf.reshape(self.z_, [-1, s4, s4, self.dim])))
            self.h1, self.h1_w, self.h1_b = deconv2d(
                h0, [self.batch_size, s2, s2, self.dim], name="g_h1", with_w=True)
            h1 = tf.nn.relu(self.g_bn1(self.h1))
            h2, self.h2_w, self.h2_b = deconv2d(
                h1, [self.batch_size, s, s, 1], name="g_h2", with_w=True)
            return tf.nn.tanh(h2)

    def sampler(self, z):
        with tf.variable_scope("generator") as scope:
            scope.reuse_variables()
            s = self.size
            s2, s4 = int(s / 2), int(s / 4)
            h0 = linear(z, self.dim * s4 * s4, "g_h0_lin")
            h0 = tf.nn.relu(self.g_bn0(tf.reshape(h0, [-1, s4, s4, self.dim])))
            h1 = deconv2d(h0, [self.batch_size, s2, s2, self.dim], name="g_h1")
            h1 = tf.nn.relu(self.g_bn1(h1))
            h2 = deconv2d(h1, [self.batch_size, s, s, 1], name="g_h2")
            return tf.nn.tanh(h2)
"""
MAIN = """\
import argparse

import tensorflow as tf

from model import Net

parser = argparse.ArgumentParser()
parser.add_argument("--phase", default="train")
args = parser.parse_args()


def main(_):
    with tf.Session() as sess:
        net = Net(sess)
        if args.phase == "train":
            net.train(0.001, 20)
        else:
            net.test()


if __name__ == "__main__":
    tf.app.run()
"""


def upgraded(*changes: tuple[str, str]) -> dict[str, str]:
    files = {"ops.py": OPS, "model.py": MODEL, "main.py": MAIN}
    for old, new in changes:
        assert any(old in text for text in files.values())
        files = {name: text.replace(old, new) for name, text in files.items()}
    results = list(texts({name: text.encode() for name, text in files.items()}, Options()))
    if any(r.level is not Level.NATIVE for r in results):
        return {"left": " ".join(f.message for r in results for f in r.left)}
    return {r.path: r.after.decode() for r in results}


def test_weights_that_nobody_reads_go_and_sizes_are_the_same() -> None:
    done = upgraded()
    model = done["model.py"]
    assert "h1_w" not in model
    assert "with_w=True" not in model
    # one layer of each name, which the sampler uses, too
    assert model.count(" = Deconv2d(") == 2
    assert model.count(" = Linear(") == 3


def test_what_is_merged_under_a_part_s_name_is_local() -> None:
    model = upgraded()["model.py"]
    assert "self.d_sum" not in model


def test_op_scope_is_a_name_scope() -> None:
    ops = upgraded()["ops.py"]
    assert 'with tf.name_scope("bce_loss" if name is None else name) as name:' in ops
    assert "op_scope" not in ops


def test_a_transposed_convolution_says_its_shape() -> None:
    ops = upgraded()["ops.py"]
    assert "tf.ensure_shape(tf.nn.conv2d_transpose(" in ops


def test_a_known_batch_needs_no_shape() -> None:
    assert "ensure_shape" not in upgraded(("[None, 6]", "[4, 6]"))["ops.py"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("def test(self):\n", "def test(self):\n        print(self.h1_w)\n", ""),
        ("def test(self):\n", "def test(self):\n        print(self.d_sum)\n", "set from outside"),
        (
            "s2, s4 = int(s / 2), int(s / 4)\n            h0 = linear",
            "s2, s4 = int(s / 2), int(s / 3)\n            h0 = linear",
            "used again",
        ),
        (
            "net.train(0.001, 20)\n        else:\n            net.test()",
            "net.train(0.001, 20)\n        net.test()",
            "a second time",
        ),
    ],
)
def test_what_may_be_another_one_keeps_the_session(old: str, new: str, reason: str) -> None:
    assert reason in upgraded((old, new))["left"]


BRANCH = """\
import sys

import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, multi):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.y = tf.placeholder(tf.float32, [None, 2])
        self.z = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.get_variable("w", [3, 2], initializer=tf.ones_initializer())
        self.out = tf.matmul(self.x, self.w)
        if multi:
            self.loss = self.loss_multi()
        else:
            self.loss = self.loss_single()
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def loss_multi(self):
        l2 = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "bias" not in v.name])
        return tf.reduce_mean(tf.square(self.out - self.MULTI)) + l2

    def loss_single(self):
        l2 = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "bias" not in v.name])
        return tf.reduce_sum(tf.square(self.out - self.y)) + l2


multi = len(sys.argv) > 1
net = Net(multi)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        feed = {net.x: np.ones([1, 3])}
        if multi:
            feed[net.MULTI] = np.ones([1, 2])
        else:
            feed[net.y] = np.zeros([1, 2])
        print(sess.run([net.step, net.loss], feed)[1])
"""


def test_variables_that_methods_of_a_branch_ask_for_stand_above_it() -> None:
    (result,) = texts({"program.py": BRANCH.replace("MULTI", "y").encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = result.after.decode()
    assert "        self.trained = [self.w]\n" in text
    assert "tf.nn.l2_loss(v) for v in self.trained if" in text


def test_a_branch_that_needs_what_another_one_feeds() -> None:
    source = BRANCH.replace("MULTI", "z")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "        print(net.train_step(**feed).numpy())\n    else:\n" in text
    assert "        print(net.train_step_2(**feed).numpy())\n" in text
    source = source.replace("        print(sess", "        print(len(feed))\n        print(sess")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.COMPAT
    assert "is fed or isn't, and a branch needs it or doesn't" in result.left[0].message
