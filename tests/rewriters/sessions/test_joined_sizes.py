"""Sizes of what a function joins of its arguments, and functions shaped by several inputs."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import argparse
import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--n", type=int, default=2)
n = parser.parse_args().n


def decoder(z, y, keep, width, reuse=False):
    with tf.variable_scope("decoder", reuse=reuse):
        {joined}
        w = tf.get_variable("w", [{size}, width])
        {more}
        return tf.nn.dropout(tf.matmul(both, w), keep)


z = tf.placeholder(tf.float32, [None, n])
y = tf.placeholder(tf.float32, [None, n + 1])
keep_prob = tf.placeholder(tf.float32)
out = decoder(z, y, keep_prob, 4)
again = decoder(z, y, {keep}, 4, reuse=True)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, again], {{z: np.ones([3, n]), y: np.ones([3, n + 1]), keep_prob: 1.0}}))
"""


def program(
    joined: str = "both = tf.concat([z, y], 1)",
    size: str = "both.get_shape()[1]",
    more: str = "",
    keep: str = "1.0",
) -> str:
    return PROGRAM.format(joined=joined, size=size, more=more, keep=keep)


@pytest.mark.parametrize(
    ("joined", "size", "written"),
    [
        ("both = tf.concat([z, y], 1)", "both.get_shape()[1]", "z_shape[1] + y_shape[1]"),
        ("both = tf.concat([z, y], -1)", "both.shape[-1]", "z_shape[-1] + y_shape[-1]"),
        (
            "both = tf.concat(axis=1, values=[z, y])",
            "both.get_shape().as_list()[1] * 2",
            "(z_shape[1] + y_shape[1]) * 2",
        ),
        ("both = tf.concat([z, y], 1)", "both.get_shape()[1].value", "z_shape[1] + y_shape[1]"),
    ],
)
def test_a_sum(joined: str, size: str, written: str) -> None:
    text = after(program(joined, size))
    assert "def build(self, z_shape, y_shape):" in text
    assert f"shape=[{written}, self.width]" in text


def test_numbers_go_by_name() -> None:
    """Keras takes nothing but tensors by place."""
    assert "out_layer(z, y, keep=1.0)" in after(program())


@pytest.mark.parametrize(
    ("joined", "size", "more"),
    [
        ("both = tf.concat([z, tf.nn.relu(y)], 1)", "both.get_shape()[1]", ""),
        ("z = tf.nn.relu(z); both = tf.concat([z, y], 1)", "both.get_shape()[1]", ""),
        ("both = tf.concat([z, y], width)", "both.get_shape()[1]", ""),
        ("both = tf.concat([z, y], -1)", "both.get_shape()[1]", ""),
        ("both = tf.concat([z, y], 1)", "both.get_shape()[1]", "z_shape = width"),
    ],
)
def test_others_stay(joined: str, size: str, more: str) -> None:
    assert stopped(program(joined, size, more))
