"""Losses that TF 1 collects, where a program asks for all of them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [4, 3])
y = tf.placeholder(tf.float32, [4, 2])
h = slim.fully_connected(x, 2, weights_regularizer=slim.l2_regularizer(0.5), scope='h')
"""
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {x: np.ones([4, 3]), y: np.eye(4, 2)}))
"""
LOSS = "loss = tf.losses.mean_squared_error(y, h)\n"


def test_the_total_is_the_sum_of_what_has_names() -> None:
    more = "tf.losses.absolute_difference(y, h)\n"
    text = after(f"{HEAD}{LOSS}{more}total = tf.losses.get_total_loss()\n{RUN}")
    assert "tf.add_n([loss, loss_2] + h_layer.losses)" in text


def test_one_loss_without_penalties_is_itself() -> None:
    asked = "total = tf.losses.get_total_loss(add_regularization_losses=False)\n"
    text = after(HEAD + LOSS + asked + RUN)
    assert "add_n" not in text
    assert "losses" not in text


def test_what_is_added_counts_and_slim_s_losses_do() -> None:
    body = "slim.losses.sigmoid_cross_entropy(h, y)\nmore = tf.reduce_mean(h)\n"
    body += "tf.losses.add_loss(more)\ntotal = tf.losses.get_losses()\n"
    text = after(HEAD + body + RUN)
    assert "sigmoid_cross_entropy_with_logits(labels=y, logits=h)" in text
    assert "[loss, more]" in text


def test_the_penalties_of_a_function_s_layers_are_asked_for() -> None:
    function = "def net(x):\n    x = slim.fully_connected(x, 3, scope='a')\n"
    function += "    return slim.fully_connected(x, 2, scope='b')\n\n\n"
    scope = "with slim.arg_scope([slim.fully_connected],\n"
    scope += "                    weights_regularizer=slim.l2_regularizer(0.1)):\n    z = net(x)\n"
    asked = "total = tf.add_n(tf.losses.get_regularization_losses()) + tf.reduce_sum(z * y)\n"
    text = after(HEAD.partition("h =")[0] + function + scope + asked + RUN)
    assert "tf.add_n([loss for layer in z_layer.layers for loss in layer.losses])" in text


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (f"{LOSS}loss = loss * 2\n", "a loss that has no name where all losses are asked for"),
        (
            "def head(a):\n    return tf.losses.mean_squared_error(y, a)\n\n\nloss = head(h)\n",
            "a loss that has no name where all losses are asked for",
        ),
        (
            f"{LOSS}more = h[0, 0]\ntf.losses.add_loss(more)\nmore = 2 * more\n",
            "`more`, a loss that was collected, means something else here",
        ),
        ("", "no losses are seen here"),
        (
            "loss = slim.losses.log_loss(h, y, weights=y)\n",
            "tf.contrib.slim.losses.log_loss with weights",
        ),
    ],
)
def test_what_keeps_a_session(body: str, why: str) -> None:
    text = f"{HEAD}{body}total = tf.losses.get_total_loss()\n{RUN}"
    assert stopped(text).partition(": ")[2] == why
