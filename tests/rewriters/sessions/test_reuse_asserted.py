"""GANs' networks that use their variables again, and assert that they don't at their first call."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

GAN = """\
import tensorflow as tf


def norm(x, name="norm"):
    with tf.variable_scope(name):
        scale = tf.get_variable("scale", [x.get_shape()[1]], initializer=tf.ones_initializer())
        return x * scale


def discriminator(x, units, reuse=False, name="discriminator"):
    with tf.variable_scope(name):
        if reuse:
            tf.get_variable_scope().reuse_variables()
        else:
            {said}
        h = norm(tf.layers.dense(x, units, name="h"), "d_bn")
        return tf.layers.dense(h, 1, name="out")


x = tf.placeholder(tf.float32, [None, 3])
z = tf.placeholder(tf.float32, [None, 3])
real = discriminator(x, 4)
fake = discriminator(z, 4, reuse=True)
loss = tf.reduce_mean(real) - tf.reduce_mean(fake)
d_vars = [v for v in tf.trainable_variables() if 'discriminator' in v.name]
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=d_vars)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {{x: [[1, 2, 3]], z: [[3, 2, 1]]}})[1])
"""


@pytest.mark.parametrize(
    "said",
    [
        "assert tf.get_variable_scope().reuse is False",
        "assert tf.get_variable_scope().reuse == False",
        "assert not tf.get_variable_scope().reuse",
    ],
)
def test_what_asserts_new_variables_goes_with_what_asks_for_old_ones(said: str) -> None:
    text = after(GAN.format(said=said))
    assert "reuse" not in text
    assert "    apply.layers = [h_layer, d_bn_layer, out_layer]\n" in text
    assert "        real = real_layer(x)\n        fake = real_layer(z)\n" in text
    assert "d_vars = [v for layer in real_layer.layers for v in layer.trainable_variables]" in text


@pytest.mark.parametrize(
    "said", ["assert tf.get_variable_scope().reuse is True", "print('new variables')"]
)
def test_what_else_is_said_of_new_variables_stays(said: str) -> None:
    stopped(GAN.format(said=said))
