"""A CycleGAN of several files: what a condition calls and chooses, functions that scopes define."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

OPS = """\
import tensorflow as tf
import tensorflow.contrib.slim as slim


def batch_norm(x, name="batch_norm"):
    return tf.contrib.layers.batch_norm(x, decay=0.9, updates_collections=None, scope=name)


def instance_norm(input, name="instance_norm"):
    with tf.variable_scope(name):
        depth = input.get_shape()[3]
        scale = tf.get_variable("scale", [depth], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [depth], initializer=tf.constant_initializer(0.1))
        mean, variance = tf.nn.moments(input, axes=[1, 2], keep_dims=True)
        return scale * (input - mean) * tf.rsqrt(variance + 0.1) + offset


def conv2d(x, dim, ks=3, name="conv2d"):
    with tf.variable_scope(name):
        return slim.conv2d(x, dim, ks, activation_fn=None, biases_initializer=None,
                           weights_initializer=tf.random_normal_initializer(stddev=0.3))
"""
MODULE = """\
import tensorflow as tf
from ops import *


def discriminator(image, options, reuse=False, name="discriminator"):
    with tf.variable_scope(name):
        if reuse:
            tf.get_variable_scope().reuse_variables()
        else:
            assert tf.get_variable_scope().reuse is False
        h0 = tf.nn.relu(conv2d(image, options.dim, name="d_h0_conv"))
        return conv2d(h0, 1, name="d_h1_conv")


def generator(image, options, reuse=False, name="generator"):
    with tf.variable_scope(name):
        if reuse:
            tf.get_variable_scope().reuse_variables()
        else:
            assert tf.get_variable_scope().reuse is False

        def block(x, dim, name="res"):
            y = instance_norm(conv2d(x, dim, 3, name=name + "_c1"), name + "_bn1")
            return tf.nn.relu(y) + x

        c0 = tf.nn.relu(instance_norm(conv2d(image, options.dim, name="g_c0"), "g_bn0"))
        r1 = block(c0, options.dim, name="g_r1")
        r2 = block(r1, options.dim, name="g_r2")
        return tf.nn.tanh(conv2d(r2, 2, name="g_out"))
"""
MODEL = """\
import os
from collections import namedtuple

import numpy as np
import tensorflow as tf

from module import *


class Cycle(object):
    def __init__(self, sess, args):
        self.sess = sess
        Options = namedtuple("Options", "dim training")
        self.options = Options._make((args.dim, args.phase == "train"))
        self._build_model()
        self.saver = tf.train.Saver()

    def _build_model(self):
        self.real = tf.placeholder(tf.float32, [None, 6, 6, 4], name="real")
        self.real_A = self.real[:, :, :, :2]
        self.real_B = self.real[:, :, :, 2:]
        self.fake_B = generator(self.real_A, self.options, False, name="generatorA2B")
        self.fake_A_ = generator(self.fake_B, self.options, False, name="generatorB2A")
        self.fake_A = generator(self.real_B, self.options, True, name="generatorB2A")
        self.DB_fake = discriminator(self.fake_B, self.options, reuse=False, name="discriminatorB")
        self.DB_real = discriminator(self.real_B, self.options, reuse=True, name="discriminatorB")
        self.g_loss = tf.reduce_mean((self.DB_fake - 1.0) ** 2) + \\
            tf.reduce_mean(tf.abs(self.real_A - self.fake_A_)) + tf.reduce_mean(self.fake_A ** 2)
        self.d_loss = tf.reduce_mean((self.DB_real - 1.0) ** 2) + tf.reduce_mean(self.DB_fake ** 2)
        self.test_A = tf.placeholder(tf.float32, [None, 6, 6, 2], name="test_A")
        self.test_B = tf.placeholder(tf.float32, [None, 6, 6, 2], name="test_B")
        self.testB = generator(self.test_A, self.options, True, name="generatorA2B")
        self.testA = generator(self.test_B, self.options, True, name="generatorB2A")
        t_vars = tf.trainable_variables()
        self.d_vars = [var for var in t_vars if 'discriminator' in var.name]
        self.g_vars = [var for var in t_vars if 'generator' in var.name]

    def train(self, args):
        self.lr = tf.placeholder(tf.float32, None, name="learning_rate")
        self.d_optim = tf.train.AdamOptimizer(self.lr, beta1=0.5).minimize(
            self.d_loss, var_list=self.d_vars)
        self.g_optim = tf.train.AdamOptimizer(self.lr, beta1=0.5).minimize(
            self.g_loss, var_list=self.g_vars)
        self.sess.run(tf.global_variables_initializer())
        for epoch in range(args.epoch):
            lr = args.lr if epoch < 2 else args.lr * 0.5
            images = np.random.uniform(-1, 1, [2, 6, 6, 4])
            fake_A, _, g_loss = self.sess.run(
                [self.fake_A, self.g_optim, self.g_loss],
                feed_dict={self.real: images, self.lr: lr})
            _, d_loss = self.sess.run(
                [self.d_optim, self.d_loss], feed_dict={self.real: images, self.lr: lr})
            print(g_loss, d_loss, fake_A.mean())
        self.saver.save(self.sess, os.path.join(args.dir, "cycle.model"))

    def test(self, args):
        self.sess.run(tf.global_variables_initializer())
        self.saver.restore(self.sess, os.path.join(args.dir, "cycle.model"))
        out_var, in_var = (self.testB, self.test_A) if args.direction == 'AtoB' else (
            self.testA, self.test_B)
        for i in range(2):
            image = np.full([1, 6, 6, 2], 0.1 * i)
            fake = self.sess.run(out_var, feed_dict={in_var: image})
            print(fake.mean())
"""
MAIN = """\
import argparse

import tensorflow as tf

from model import Cycle

parser = argparse.ArgumentParser()
parser.add_argument('--phase', dest='phase', default='train')
parser.add_argument('--direction', dest='direction', default='AtoB')
parser.add_argument('--dir', dest='dir', default='.')
parser.add_argument('--dim', dest='dim', type=int, default=3)
parser.add_argument('--epoch', dest='epoch', type=int, default=4)
parser.add_argument('--lr', dest='lr', type=float, default=0.01)
args = parser.parse_args()


def main(_):
    with tf.Session() as sess:
        model = Cycle(sess, args)
        model.train(args) if args.phase == 'train' \\
            else model.test(args)


if __name__ == '__main__':
    tf.app.run()
"""


def upgraded(*changes: tuple[str, str]) -> dict[str, str]:
    files = {"ops.py": OPS, "module.py": MODULE, "model.py": MODEL, "main.py": MAIN}
    for old, new in changes:
        assert any(old in text for text in files.values())
        files = {name: text.replace(old, new) for name, text in files.items()}
    results = list(texts({name: text.encode() for name, text in files.items()}, Options()))
    if any(r.level is not Level.NATIVE for r in results):
        return {"left": " ".join(f.message for r in results for f in r.left)}
    return {r.path: r.after.decode() for r in results if r.after is not None}


def test_a_conditional_call_is_a_branch_where_both_ways_start_the_graph() -> None:
    text = upgraded()["main.py"]
    assert (
        "    if args.phase == 'train':\n        model.train(args)\n"
        "    else:\n        model.test(args)\n"
    ) in text


def test_a_conditional_call_that_starts_it_once_stays() -> None:
    begins = "        self.sess.run(tf.global_variables_initializer())\n        self.saver"
    text = upgraded((begins, "        self.saver"))["main.py"]
    assert "model.train(args) if args.phase == 'train' \\\n        else model.test(args)" in text


def test_what_is_fetched_and_fed_is_written_for_each_way() -> None:
    text = upgraded()["model.py"]
    assert (
        "            if args.direction == 'AtoB':\n"
        "                fake = self.compute_test_b(image).numpy()\n"
        "            else:\n"
        "                fake = self.compute_test_a(image).numpy()\n"
    ) in text
    assert "out_var" not in text


@pytest.mark.parametrize(
    "change",
    [
        ("        for i in range(2):", "        for i in [in_var]:"),
        (
            "        for i in range(2):",
            "        args.direction = 'BtoA'\n        for i in range(2):",
        ),
        ("        for i in range(2):", "        out_var = self.testA\n        for i in range(2):"),
        ("if args.direction == 'AtoB'", "if way(args)"),
    ],
)
def test_what_is_chosen_otherwise_keeps_the_session(change: tuple[str, str]) -> None:
    assert "left" in upgraded(change)


def test_a_function_with_layers_that_a_scope_defines_stands_above_it() -> None:
    text = upgraded()["module.py"]
    assert (
        'def generator(options, name="generator"):\n'
        '    def block(dim, name="res"):\n'
        '        conv2d_layer = conv2d(dim, 3, name=name + "_c1")\n'
    ) in text
    assert "*r1_layer.layers" in text  # whose names in TF 1 are told: name + "_c1"


def test_an_attribute_that_only_one_method_has_is_a_local_name_beside_a_flag_called_so() -> None:
    text = upgraded()["model.py"]
    assert "lr_2 = tf.TensorSpec(None, tf.float32)" in text
    assert "lr = args.lr if epoch < 2" in text


def test_an_attribute_that_others_ask_for_by_its_name_stays() -> None:
    asks = (
        "        self._build_model()",
        "        self._build_model()\n        print(hasattr(args, 'lr'))",
    )
    assert "set from outside of its class" in upgraded(asks)["left"]


def test_a_builder_that_nobody_calls_and_that_is_called_as_tensorflows() -> None:
    text = upgraded()["ops.py"]
    assert "def batch_norm(name=" in text
    assert "return batch_norm_layer(x, training=True)" in text
