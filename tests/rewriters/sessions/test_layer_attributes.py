"""Functions that become Keras layers: what they and their ops are called inside."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import numpy as np
import tensorflow as tf


def fc(x, units, name, relu=True):
    depth = int(x.get_shape()[-1])
    with tf.variable_scope(name) as scope:
        weights = tf.get_variable("weights", [depth, units])
        act = tf.nn.relu(tf.matmul(x, weights), name=scope.name)
    if relu:
        relu = tf.nn.relu(act)
        return relu
    else:
        return act


x = tf.placeholder(tf.float32, [None, 3])
y = fc(fc(x, 4, name="fc1"), 2, name="fc2", relu=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([2, 3])}))
"""


def test_names_that_keras_layers_have_are_left_to_them() -> None:
    text = after(PROGRAM)
    assert "self.own_weights = self.add_weight(" in text
    assert "self.weights" not in text
    assert "tf.matmul(x, self.own_weights)" in text


def test_a_tensor_may_have_its_switch_s_name() -> None:
    text = after(PROGRAM)
    assert "tf.nn.relu(act)" in text
    assert "scope.name" not in text
