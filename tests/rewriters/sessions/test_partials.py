"""`functools.partial` of TensorFlow's functions: written out where its name is only called."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf
from functools import partial

x = tf.placeholder(tf.float32, [None, 4])
k = 0.5
"""
DENSE = "dense = partial(tf.layers.dense, kernel_initializer=tf.constant_initializer(k))\n"
RUN = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(net, {x: np.ones((2, 4))}))
"""


def test_the_calls_have_all_arguments_and_the_import_goes() -> None:
    net = "h = dense(x, 3, activation=tf.nn.relu)\nnet = dense(h, (2),)\n"
    text = after(HEAD + DENSE + net + RUN)
    assert "partial" not in text
    assert text.count("Dense(") == text.count("Constant(k)") == 2


def test_a_later_meaning_of_the_name_has_its_own_arguments() -> None:
    other = DENSE.replace("(k)", "(0.25)")
    text = after(HEAD + DENSE + "h = dense(x, 3)\n" + other + "net = dense(h, 2)\n" + RUN)
    assert text.index("Constant(k)") < text.index("Constant(0.25)")


def test_one_that_is_only_given_away_stays() -> None:
    act = "leaky = partial(tf.nn.leaky_relu, alpha=0.3)\n"
    text = after(HEAD + act + "net = tf.layers.dense(x, 2, activation=leaky)\n" + RUN)
    assert "leaky = partial(tf.nn.leaky_relu, alpha=0.3)" in text


@pytest.mark.parametrize(
    "net",
    [
        DENSE + "h = dense(x, 3)\nk = 2.0\nnet = dense(h, 2)\n",  # read when it was made
        "net = x\nfor k in (0.3, 0.5):\n    " + DENSE + "    net = dense(net, 3)\n",
        "if k:\n    " + DENSE + "net = dense(x, 3)\n",
        "dense = partial(tf.layers.dense, **{'use_bias': False})\nnet = dense(x, 3)\n",
        DENSE + "net = dense(*[x, 3])\n",
        "axes = [1]\nnet = partial(tf.reduce_sum, axis=axes)\n"
        "h = net(x)\naxes.append(0)\nnet = net(x)\n",
        DENSE + "layers = [dense]\nnet = dense(x, 3)\n",
    ],
)
def test_one_that_may_mean_something_else_keeps_the_session(net: str) -> None:
    assert stopped(HEAD + net + RUN)


def test_one_that_a_layer_is_given_stays() -> None:
    given = "activation=partial(tf.nn.l2_normalize, axis=-1)"
    text = after(HEAD + f"net = tf.layers.dense(x, 3, {given})\n" + RUN)
    assert given in text
