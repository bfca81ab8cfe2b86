"""Constants and variables that runs feed, and constants that optimizers are given."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

FED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
tau = tf.Variable(5.0)
h = x / tau
y = tf.nn.softmax(h * 2)
z = tf.reduce_sum(h)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [1.0, 2.0], tau: 1.0}))
    print(sess.run(z, {x: [1.0, 2.0]}))
"""
RATE = """\
import tensorflow as tf

w = tf.Variable(1.0)
lr = {rate}
loss = tf.square(w)
train = tf.train.MomentumOptimizer(lr, tf.constant(0.5)).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {feed}))
"""


def test_functions_that_are_given_a_variable_compute_with_it() -> None:
    text = after(FED)
    assert "TensorSpec(tau.shape, tau.dtype)])\ndef compute_y(x, tau):\n    h = x / tau\n" in text
    assert "def compute_z(x):\n    h = x / tau\n" in text


def test_a_layer_of_what_is_fed_stays() -> None:
    source = FED.replace(
        "h = x / tau\n",
        "def net(v):\n    w = tf.Variable(2.0)\n    return v * w / tau\n\nh = net(x)\n",
    )
    assert "`tau` is fed, which `net` reads" in stopped(source)


def test_an_optimizer_is_given_numbers() -> None:
    text = after(RATE.format(rate="tf.constant(0.1)", feed="{}"))
    assert "SGD(float(lr), momentum=float(tf.constant(0.5)))" in text


def test_a_rate_that_is_fed_is_a_parameter() -> None:
    text = after(RATE.format(rate="tf.constant(0.1)", feed="{lr: 0.5}"))
    assert "def train_step(lr=0.1):" in text
    assert "optimizer.learning_rate.assign(lr)" in text


@pytest.mark.parametrize("rate", ["tf.constant(0.1, shape=[])", "tf.constant(0.1) * 2.0"])
def test_other_rates_that_are_fed_stay(rate: str) -> None:
    assert "`lr` is fed, which an optimizer has" in stopped(
        RATE.format(rate=rate, feed="{lr: 0.5}")
    )


HELPED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
tau = tf.{made}(5.0)
{helper}
y = tf.reduce_sum({read})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [1.0, 2.0], tau: 1.0}}))
"""


@pytest.mark.parametrize("made", ["Variable", "constant"])
@pytest.mark.parametrize(
    ("helper", "read"),
    [
        ("def scale(v):\n    return v / tau\n", "scale(x)"),
        ("scale = lambda v: v / tau", "scale(x)"),
    ],
)
def test_functions_that_read_what_is_fed_stay(made: str, helper: str, read: str) -> None:
    assert "`tau` is fed, which" in stopped(HELPED.format(made=made, helper=helper, read=read))


def test_a_function_that_is_given_what_is_fed_is_followed() -> None:
    helper = "def scale(v, tau):\n    return v / tau\n"
    text = after(HELPED.format(made="Variable", helper=helper, read="scale(x, tau)"))
    assert "def compute_y(x, tau):\n    return tf.reduce_sum(scale(x, tau))\n" in text
