"""Layers and metrics in other words of TF 1."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [4, 6])
images = tf.placeholder(tf.float32, [4, 5, 5, 3])


def norm(t, scale=1.0):
    mean, variance = tf.nn.moments(t, [0])
    return scale * (t - mean) / tf.sqrt(variance + 1e-3)


def gained(t):
    return t * tf.get_variable('gain', [3], initializer=tf.ones_initializer())


"""
TAIL = """
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {FED})
"""


def program(middle: str, fed: str = "x: np.ones([4, 6])") -> str:
    return HEAD + middle + TAIL.replace("FED", fed)


def test_a_normalizer_of_one_s_own_is_called_behind_its_layer() -> None:
    text = after(program("out = slim.fully_connected(x, 3, normalizer_fn=norm)\n"))
    assert "out = norm(out)\n" in text
    assert "out = tf.nn.relu(out)\n" in text
    assert "use_bias=False" in text
    with_more = (
        "out = slim.fully_connected(x, 3, activation_fn=None, normalizer_fn=norm,"
        " normalizer_params={'scale': 2.0})\n"
    )
    assert "norm(out, scale=2.0)" in after(program(with_more))
    flat = "out = slim.fully_connected(x, 3, normalizer_fn=lambda t: tf.nn.l2_normalize(t, 1))\n"
    assert "tf.nn.l2_normalize" in after(program(flat))


def test_a_normalizer_of_an_arg_scope() -> None:
    middle = (
        "with slim.arg_scope([slim.fully_connected], normalizer_fn=norm):\n"
        "    net = slim.fully_connected(x, 3, tf.tanh, scope='a')\n"
        "    out = slim.fully_connected(net, 2, scope='b')\n"
    )
    assert after(program(middle)).count("norm(") == 3


def test_a_normalizer_with_variables_has_them_below_its_layer() -> None:
    middle = "out = slim.fully_connected(x, 3, normalizer_fn=gained, scope='fc')\n"
    assert '"fc/gain"' in after(program(middle)).replace("'", '"') or "fc" in after(program(middle))
    bare = "out = slim.fully_connected(x, 3, normalizer_fn=gained)\n"
    assert "a normalizer with variables, in a layer without a scope" in stopped(program(bare))


def test_noise_that_rows_share() -> None:
    text = after(
        program(
            "out = tf.layers.dropout(x, 0.5, noise_shape=[4, 1], training=True)\n"
            "out = tf.layers.dense(out, 2)\n"
        )
    )
    assert "tf.nn.dropout(x, rate=0.5, noise_shape=[4, 1])" in text


def test_what_a_batch_norm_s_variables_begin_with() -> None:
    middle = (
        "net = slim.batch_norm(images, scale=True, param_initializers={'gamma':"
        " tf.constant_initializer(0.5)}, param_regularizers={'gamma': slim.l2_regularizer(0.1)})\n"
        "out = slim.fully_connected(slim.flatten(net), 2)"
        " + tf.losses.get_regularization_loss()\n"
    )
    text = after(program(middle, "images: np.ones([4, 5, 5, 3])"))
    assert "gamma_initializer=tf.keras.initializers.Constant(0.5)" in text
    assert "gamma_regularizer=tf.keras.regularizers.L2(" in text


def test_two_penalties_in_one() -> None:
    both = "tf.contrib.layers.sum_regularizer([slim.l1_regularizer(0.1), slim.l2_regularizer(0.2)])"
    middle = f"out = slim.fully_connected(x, 3, weights_regularizer={both})\n"
    middle += "out += tf.losses.get_regularization_loss()\n"
    assert "tf.keras.regularizers.L1L2(l1=0.1, l2=" in after(program(middle))


def test_a_convolution_of_as_many_dimensions_as_its_kernel() -> None:
    middle = "net = slim.convolution(images, 4, [3, 3])\nout = slim.flatten(net)\n"
    assert "tf.keras.layers.Conv2D(4, [3, 3]" in after(
        program(middle, "images: np.ones([4, 5, 5, 3])")
    )


def test_maps_of_metrics_are_their_parts() -> None:
    source = HEAD + (
        "y = tf.placeholder(tf.float32, [4, 6])\n"
        "values, updates = tf.contrib.metrics.aggregate_metric_map({\n"
        "    'a/mean': tf.metrics.mean_absolute_error(y, x),\n"
        "    'root': tf.metrics.root_mean_squared_error(y, x)})\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.local_variables_initializer())\n"
        "    sess.run(list(updates.values()), {x: np.ones([4, 6]), y: np.zeros([4, 6])})\n"
        "    print(sess.run(values), sess.run(values['root']))\n"
    )
    text = after(source)
    assert "a_mean_value" in text
    assert "contrib" not in text


@pytest.mark.parametrize(
    ("middle", "reason"),
    [
        (
            "out = tf.layers.dense(x, 2, activity_regularizer=slim.l2_regularizer(0.1))\n",
            "`activity_regularizer` of tf.layers.dense",
        ),
        (
            "out = tf.layers.dropout(x, 0.5, noise_shape=[None, 1], training=True)\n",
            "`noise_shape` of a dropout that isn't written out",
        ),
        (
            "out = slim.fully_connected(x, 3, normalizer_fn=norm, normalizer_params=dict(s=1))\n",
            "a normalizer that isn't one of TensorFlow's",
        ),
        (
            "out = x + slim.fully_connected(x, 6, normalizer_fn=norm)\n",
            "inside of another expression",
        ),
        (
            "size = 3\nout = slim.flatten(slim.convolution(images, 4, size))\n",
            "a convolution whose dimensions aren't told by its kernel",
        ),
        (
            "many = [slim.l1_regularizer(0.1)]\nout = slim.fully_connected(x, 3,"
            " weights_regularizer=tf.contrib.layers.sum_regularizer(many))\n",
            "sum_regularizer with these arguments",
        ),
        (
            "pairs = {'a': tf.metrics.mean(x)}\n"
            "values, updates = tf.contrib.metrics.aggregate_metric_map(pairs)\n"
            "out = tf.layers.dense(x, 1)\n",
            "metric",
        ),
    ],
)
def test_what_stays(middle: str, reason: str) -> None:
    assert reason in stopped(program(middle))
