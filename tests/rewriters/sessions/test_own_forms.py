"""Functions of contrib that TF 2 lacks, as functions of the program."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 6])
images = tf.placeholder(tf.float32, [4, 5, 5, 3])
ids = tf.placeholder(tf.int32, [4, 7])
"""
TAIL = """
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {FED})
"""
LEARNING = "tf.contrib.losses.metric_learning."


def program(middle: str, fed: str = "x: np.ones([4, 6])") -> str:
    return HEAD + middle + TAIL.replace("FED", fed)


@pytest.mark.parametrize(
    ("call", "called"),
    [
        ("contrastive_loss([0, 1, 0, 1], net, net * 2.0)", "contrastive_loss("),
        ("npairs_loss([0, 1, 2, 3], net, net * 2.0, 0.1)", "npairs_loss("),
        ("triplet_semihard_loss(labels=[0, 1, 0, 1], embeddings=net)", "triplet_semihard_loss("),
        ("lifted_struct_loss([0, 1, 0, 1], net, margin=0.5)", "lifted_struct_loss("),
    ],
)
def test_losses_of_embeddings(call: str, called: str) -> None:
    text = after(program(f"net = tf.layers.dense(x, 3)\nout = {LEARNING}{call}\n"))
    assert f"def {called}" in text
    assert "contrib" not in text


def test_a_function_stands_in_the_file_once() -> None:
    middle = (
        "net = tf.layers.dense(x, 3)\n"
        f"out = {LEARNING}triplet_semihard_loss([0, 1, 0, 1], net)\n"
        f"out += {LEARNING}lifted_struct_loss([0, 1, 0, 1], net)\n"
        f"out += {LEARNING}triplet_semihard_loss([1, 1, 0, 0], net)\n"
    )
    text = after(program(middle))
    assert text.count("def triplet_semihard_loss(") == text.count("def pairwise_distance(") == 1


def test_what_makes_a_variable_is_the_program_s_own() -> None:
    middle = "net = tf.contrib.layers.conv2d(images, 4, 3)\n"
    middle += "out = tf.contrib.layers.spatial_softmax(net, name='points')\n"
    text = after(program(middle, "images: np.ones([4, 5, 5, 3])"))
    assert "def spatial_softmax(temperature=1.0, name=None, trainable=True):" in text
    assert "spatial_softmax(name='points')" in text
    bag = "out = tf.contrib.layers.bow_encoder(ids, 9, 3, scope='bag')\n"
    assert "def dense_to_sparse(" in after(program(bag, "ids: np.ones([4, 7])"))


def test_what_a_call_says_of_its_variables_stands_in_the_function() -> None:
    added = "out = tf.contrib.layers.bias_add(x, tf.nn.relu, tf.constant_initializer(0.5))\n"
    text = after(program(added))
    assert "0.5" in text
    assert "tf.nn.relu" in text


def test_another_function_of_the_name_keeps_its_own() -> None:
    middle = "def contrastive_loss(a):\n    return a * 2.0\n\nnet = tf.layers.dense(x, 3)\n"
    middle += f"out = contrastive_loss({LEARNING}contrastive_loss([0, 1, 0, 1], net, net + 1.0))\n"
    assert "def contrastive_loss_2(" in after(program(middle))


@pytest.mark.parametrize(
    ("middle", "reason"),
    [
        (f"net = tf.layers.dense(x, 3)\nout = {LEARNING}cluster_loss([0], net, 1.0)\n", "cluster"),
        ("out = tf.contrib.layers.gdn(images)\n", "tf.contrib.layers.gdn"),
        (
            f"net = tf.layers.dense(x, 3)\nargs = ([0], net, net)\n"
            f"out = {LEARNING}contrastive_loss(*args)\n",
            "contrastive_loss isn't followed here",
        ),
        (
            "net = tf.layers.dense(x, 3)\n"
            f"out = {LEARNING}npairs_loss([0], net, net, print_losses=True)\n",
            "npairs_loss with these arguments",
        ),
        (
            "out = tf.contrib.layers.bow_encoder(ids, 9, 3, sparse_lookup=False)\n",
            "bow_encoder with these arguments",
        ),
        ("out = tf.contrib.layers.scale_gradient(x, 0.5)\n", "tf.contrib.layers.scale_gradient"),
        (
            "def pairwise_distance(a):\n    return a\n\nnet = tf.layers.dense(x, 3)\n"
            f"out = {LEARNING}lifted_struct_loss([0, 1, 0, 1], net)\n",
            "lifted_struct_loss isn't followed here",
        ),
    ],
)
def test_what_stays(middle: str, reason: str) -> None:
    assert reason in stopped(program(middle))
