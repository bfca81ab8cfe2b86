"""Layers of float64: Keras would compute them in float32, where it isn't told."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

{net}a = np.random.uniform(-1, 1, (9, 3))
train, test = np.split(a, [6])
b = np.linspace(0, 1, 9).reshape(-1, 3).astype(np.float32)
for c in [a, b]:
    print(c)
{x}
h = {layer}
loss = tf.reduce_mean(tf.square(h))
step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(step{feed})
"""
NET = "def net(t):\n    return tf.layers.dense(t, 4, name='net')\n\n"
SLICES = "d = tf.data.Dataset.from_tensor_slices(({0}, {0}))\nd = d.shuffle(9).batch(3).repeat()\n"
NEXT = "x, y = d.make_one_shot_iterator().get_next()"


def upgrade(x: str, layer: str = "tf.layers.dense(x, 4)") -> FileResult:
    feed = f", {{{x[0]}: a}}" if "placeholder" in x else ""
    source = PROGRAM.format(x=x, layer=layer, feed=feed, net=NET if "net" in layer else "")
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    "x",
    [
        "x = tf.placeholder(tf.float64, [None, 3])",
        "x = tf.placeholder(shape=[None, 3], dtype='float64')",
        "x = tf.placeholder(a.dtype, [None, 3])",
        "p = tf.placeholder(tf.float64, [None, 3])\nx = tf.reshape(p, [-1, 3]) * 2",
        f"{SLICES.format('a')}{NEXT}",
        f"{SLICES.format('train[:, :2]')}{NEXT}",
        f"{SLICES.format('np.ones([9, 3])')}it = d.make_one_shot_iterator()\nx, y = it.get_next()",
        f"{SLICES.format('np.zeros([9, 3], dtype=float)')}{NEXT}",
        f"{SLICES.format('b.astype(float)')}{NEXT}",
        f"{SLICES.format('np.stack([a, a], 1)')}{NEXT}\nx = x[:, 0]",
        f"rng = np.random.RandomState(0)\n{SLICES.format('rng.rand(9, 3)')}{NEXT}",
        "p = tf.placeholder(tf.float64, [None, 3])\nx = tf.layers.dense(p, 3, tf.tanh)",
    ],
)
def test_doubles_are_said(x: str) -> None:
    result = upgrade(x)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    after = (result.after or b"").decode()
    assert after.count('dtype="float64"') == after.count(".Dense(")


@pytest.mark.parametrize(
    "layer",
    [
        "tf.layers.dense(x, 4, kernel_regularizer=tf.contrib.layers.l2_regularizer(.1))",
        "tf.layers.batch_normalization(x)",
        "tf.contrib.layers.fully_connected(x, 4, normalizer_fn=tf.contrib.layers.batch_norm)",
        "net(x)",
    ],
)
def test_doubles_keep_the_session(layer: str) -> None:
    result = upgrade("x = tf.placeholder(tf.float64, [None, 3])", layer)
    assert result.level is Level.COMPAT
    assert any("a layer of float64" in f.message for f in result.left)


@pytest.mark.parametrize(
    ("loss", "level"),
    [
        ("mean_squared_error(y, h)", Level.NATIVE),
        ("absolute_difference(y, h)", Level.NATIVE),
        ("softmax_cross_entropy(y, h)", Level.COMPAT),  # of float64, but for what adds them up
    ],
)
def test_losses_of_doubles(loss: str, level: Level) -> None:
    y = "x = tf.placeholder(tf.float64, [None, 3])\ny = tf.ones([2, 4], tf.float64)"
    result = upgrade(f"{y}\nh = tf.layers.dense(x, 4)", f"tf.losses.{loss}")
    assert result.level is level
    assert b"(h, tf.float32)" in (result.after or b"") or level is Level.COMPAT


@pytest.mark.parametrize(
    "x",
    [
        "x = tf.placeholder(tf.float32, [None, 3])",
        "x = tf.placeholder('float', [None, 3])",
        "x = tf.placeholder(float, [None, 3])",
        "x = tf.placeholder(b.dtype, [None, 3])",
        "p = tf.placeholder(tf.float64, [None, 3])\nx = tf.cast(p, tf.float32)",
        "p = tf.placeholder(tf.float64, [None, 3])\nx = tf.to_float(tf.equal(p, 2))",
        f"{SLICES.format('b')}{NEXT}",
        f"{SLICES.format('a.astype(np.float32)')}{NEXT}",
        f"{SLICES.format('np.ones([9, 3], np.float32)')}{NEXT}",
    ],
)
def test_others_are_layers(x: str) -> None:
    result = upgrade(x)
    assert result.level is Level.NATIVE, [f.message for f in result.left]


def test_a_function_that_builds_may_be_given_doubles() -> None:
    assert upgrade("x = tf.placeholder(tf.float64, [None, 3])", "net(x)").level is Level.COMPAT
    assert upgrade("x = tf.placeholder(tf.float32, [None, 3])", "net(x)").level is Level.NATIVE
