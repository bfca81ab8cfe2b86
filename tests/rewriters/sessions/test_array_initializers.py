"""Initializers that are given arrays: of variables, of layers, with another shape."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

HEAD = """\
import numpy as np
import tensorflow as tf
table = np.random.RandomState(0).rand(5, 3)
"""
TAIL = """
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [[1.0, 2.0, 3.0]]}))
"""


def test_a_variable_of_doubles_is_float32() -> None:
    text = after(
        HEAD + "x = tf.placeholder(tf.float32, [None, 3])\n"
        "w = tf.get_variable('w', [5, 3], initializer=tf.constant_initializer(np.array(table)))\n"
        "y = tf.matmul(x, w, transpose_b=True)\n" + TAIL
    )
    assert "tf.constant(np.array(table), shape=[5, 3], dtype=tf.float32)" in text


def test_a_float_needs_no_type() -> None:
    text = after(
        HEAD + "x = tf.placeholder(tf.float32, [None, 3])\n"
        "w = tf.get_variable('w', [3, 1], initializer=tf.constant_initializer(-0.5))\n"
        "y = tf.matmul(x, w)\n" + TAIL
    )
    assert "tf.constant(-0.5, shape=[3, 1])" in text


def test_layers_take_arrays_of_another_shape() -> None:
    text = after(
        HEAD + "x = tf.placeholder(tf.float32, [None, 3])\n"
        "y = tf.layers.dense(x, 2, kernel_initializer=tf.constant_initializer(np.arange(6) / 10))\n"
        + TAIL
    )
    assert "kernel_initializer=tf.constant_initializer(np.arange(6) / 10)" in text
