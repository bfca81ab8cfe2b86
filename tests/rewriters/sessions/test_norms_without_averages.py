"""Layer, instance and group norms: by themselves, as ``normalizer_fn``, and their variables."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

layers = tf.contrib.layers
x = tf.placeholder(tf.float32, [None, 6, 6, 2])
LAYER
loss = tf.reduce_mean(tf.square(h - 0.3))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[[[1.0, 2.0]] * 6] * 6]})[0])
"""
FIRST = "h = tf.layers.conv2d(x, 4, 3)\n"


def written(layer: str) -> str:
    return after(PROGRAM.replace("LAYER", layer))


@pytest.mark.parametrize(
    ("layer", "made"),
    [
        ("h = layers.layer_norm(x)", "h_layer = LayerNormalization()"),
        (
            "h = layers.layer_norm(x, begin_norm_axis=2)",
            "h_layer = LayerNormalization(begin_norm_axis=2)",
        ),
        (
            "h = layers.layer_norm(x, begin_norm_axis=-1)",
            "h_layer = tf.keras.layers.LayerNormalization(epsilon=1e-12)",
        ),
        (
            FIRST + "h = layers.group_norm(h, groups=2)",
            "group_norm_layer = tf.keras.layers.GroupNormalization(groups=2, epsilon=1e-06)",
        ),
        (
            "h = layers.conv2d(x, 4, 3, normalizer_fn=layers.layer_norm)",
            "h_norm = LayerNormalization()",
        ),
        (
            "h = layers.fully_connected(layers.flatten(x), 4, normalizer_fn=layers.layer_norm)",
            "fully_connected_norm = tf.keras.layers.LayerNormalization(epsilon=1e-12)",
        ),
    ],
)
def test_what_a_norm_is(layer: str, made: str) -> None:
    assert made in written(layer)


def test_a_normalizer_takes_the_bias_and_comes_before_the_activation() -> None:
    text = written("h = layers.conv2d(x, 4, 3, normalizer_fn=layers.instance_norm)")
    assert 'padding="same", use_bias=False)' in text
    assert "tf.nn.relu(h_norm(h_layer(x)))" in text


@pytest.mark.parametrize(
    ("layer", "what"),
    [
        ("h = layers.layer_norm(x, begin_params_axis=1)", "`begin_params_axis` of a layer norm"),
        ("h = layers.group_norm(x * 1.0, groups=2)", "isn't surely images"),
        (
            "h = layers.conv2d(x, 4, 3, normalizer_fn=layers.batch_norm, activation_fn=None,\n"
            "                  normalizer_params={'activation_fn': tf.nn.relu})",
            "the activation of a normalizer",
        ),
        (
            "def norm(t):\n    return t * 2.0\n\nparams = dict(norm=norm)\n"
            "h = layers.conv2d(x, 4, 3, normalizer_fn=norm, normalizer_params=params)",
            "a normalizer that isn't one of TensorFlow's",
        ),
    ],
)
def test_other_norms_keep_the_session(layer: str, what: str) -> None:
    assert what in stopped(PROGRAM.replace("LAYER", layer))


@pytest.mark.parametrize(
    "shown",
    [
        "    for v in tf.trainable_variables():\n        print(sess.run(v).sum())\n",
        "    print([v.sum() for v in sess.run(tf.trainable_variables())])\n",
    ],
)
def test_the_order_of_their_variables_is_tf_1s(shown: str) -> None:
    # TF 1 made the offset first, Keras makes the scale.
    program = PROGRAM.replace("LAYER", FIRST + "h = layers.instance_norm(h)") + shown
    assert "the order of a normalization's variables" in stopped(program)
    after(program.replace("instance_norm(h)", "instance_norm(h, scale=False)"))


def test_names_of_their_variables_are_in_tf_1s_order() -> None:
    names = "    print([v.name for v in tf.trainable_variables()])\n"
    net = "def net(t):\n    return layers.layer_norm(t, scope='n')\n\n\nh = net(x)"
    text = after(PROGRAM.replace("LAYER", net) + names)
    assert "['n/beta:0', 'n/gamma:0']" in text


@pytest.mark.parametrize(
    ("op", "made"),
    [
        (
            "maxout(h, 2)",
            "tf.reduce_max(tf.reshape(h, tf.concat([tf.shape(h)[:-1], [2, -1]], 0)), -1)",
        ),
        ("unit_norm(h, 1)", "h / tf.sqrt(1e-07 + tf.reduce_sum(tf.square(h), 1, keepdims=True))"),
    ],
)
def test_what_is_a_formula(op: str, made: str) -> None:
    assert made in written(FIRST + f"h = layers.{op}")
