"""`tf.layers` as objects."""

from __future__ import annotations

import pytest

from migrate.programs.graph.layering.layer_classes import function
from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 8, 8, 3])
training = tf.placeholder_with_default(True, [])
"""
TAIL = """
out = tf.layers.dense(tf.layers.flatten(h), 2)
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {x: np.ones([4, 8, 8, 3])})
"""


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Conv2DTranspose", "conv2d_transpose"),
        ("SeparableConv1D", "separable_conv1d"),
        ("MaxPooling3D", "max_pooling3d"),
        ("BatchNormalization", "batch_normalization"),
        ("Dense", "dense"),
    ],
)
def test_functions_of_classes(name: str, called: str) -> None:
    assert function(name) == called


def test_objects_stay_objects() -> None:
    middle = (
        "conv = tf.layers.Conv2D(4, 3, activation=tf.nn.relu, padding='same', name='c')\n"
        "pool = tf.layers.MaxPooling2D(2, 2)\n"
        "h = pool(conv(x))\n"
    )
    text = after(HEAD + middle + TAIL)
    assert "conv = tf.keras.layers.Conv2D(4, 3, padding='same', activation=tf.nn.relu" in text
    assert "pool = tf.keras.layers.MaxPooling2D(2, 2)" in text
    assert "h = pool(conv(x))" in text


def test_one_that_is_called_where_it_is_made_and_apply() -> None:
    middle = "conv = tf.layers.Conv2D(3, 1)\nh = conv.apply(conv.apply(x))\n"
    middle += "h = tf.layers.Conv2D(2, 3)(h)\n"
    text = after(HEAD + middle + TAIL)
    assert "conv(conv(x))" in text
    assert "tf.keras.layers.Conv2D(2, 3)" in text


def test_those_with_modes_are_functions() -> None:
    middle = (
        "bn = tf.layers.BatchNormalization(momentum=0.9)\n"
        "drop = tf.layers.Dropout(0.3)\n"
        "h = bn(x, training=True)\n"
        "h = drop(h, training)\n"
        "h = drop(h, training=True)\n"
    )
    text = after(HEAD + middle + TAIL)
    assert "drop = " not in text
    assert text.count("tf.nn.dropout(h, rate=0.3)") == 2
    assert "tf.keras.layers.BatchNormalization(" in text


@pytest.mark.parametrize(
    ("middle", "reason"),
    [
        (
            "drops = [tf.layers.Dropout(0.3) for _ in range(2)]\nh = drops[0](x, training=True)\n",
            "tf.layers.Dropout",
        ),
        (
            "rate = 0.5\ndrop = tf.layers.Dropout(rate)\nrate = 0.1\nh = drop(x, training=True)\n",
            "what an object of tf.layers.Dropout is told isn't written out",
        ),
        (
            "bn = tf.layers.BatchNormalization()\nh = bn(bn(x, training=True), training=True)\n",
            "without a name that is called again",
        ),
        (
            "bn = tf.layers.BatchNormalization()\nh = bn(x, training=True)\nn = bn.momentum\n",
            "that isn't only called, by one name",
        ),
        (
            "conv = tf.layers.Conv2D(4, 3, kernel_regularizer=tf.nn.l2_loss)\nh = conv(x)\n",
            "`kernel_regularizer` of tf.layers.Conv2D",
        ),
        (
            "conv = tf.layers.Conv2D(4, 3)\nfor _ in range(2):\n    h = conv(x)\n",
            "a layer that is called in a loop or a branch",
        ),
    ],
)
def test_what_stays(middle: str, reason: str) -> None:
    assert reason in stopped(HEAD + middle + TAIL)
