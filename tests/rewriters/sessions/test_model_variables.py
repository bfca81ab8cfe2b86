"""slim's lists of variables."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim

x = tf.placeholder(tf.float32, [None, 3])
scale = tf.Variable(2.0)
h = {layer}
loss = tf.reduce_mean(tf.square(h)) * scale
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list={listed})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{x: [[1.0, 2.0, 3.0]]}}))
"""
LAYER = "slim.fully_connected(x, 2, scope='fc')"


@pytest.mark.parametrize(
    ("listed", "variables"),
    [
        ("slim.get_model_variables()", "[*h_layer.weights]"),
        ("tf.contrib.framework.get_model_variables('fc')", "[*h_layer.weights]"),
        ("slim.get_variables()", "[scale, *h_layer.weights]"),
        ("slim.get_trainable_variables()", "[scale, *h_layer.trainable_variables]"),
    ],
)
def test_lists(listed: str, variables: str) -> None:
    assert f"variables = {variables}\n" in after(PROGRAM.format(layer=LAYER, listed=listed))


@pytest.mark.parametrize(
    ("layer", "listed"),
    [
        (LAYER, "slim.get_model_variables(suffix='weights')"),
        (LAYER, "slim.get_variables(collection='mine')"),
        ("tf.layers.dense(x, 2)", "slim.get_model_variables()"),
    ],
)
def test_others_stay(layer: str, listed: str) -> None:
    assert stopped(PROGRAM.format(layer=layer, listed=listed))


STACK = """\
import tensorflow as tf

slim = tf.contrib.slim

x = tf.placeholder(tf.float32, [None, 3])
h = {call}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(h, {{x: [[1.0, 2.0, 3.0]]}}))
"""


def test_a_stack_without_a_scope() -> None:
    text = after(STACK.format(call="slim.stack(x, slim.fully_connected, [4, 5])"))
    assert "name='fully_connected_1')" in text
    assert "name='fully_connected_2')" in text


def test_a_stack_of_what_has_no_name_stays() -> None:
    assert stopped(STACK.format(call="slim.stack(x, slim.relu, [4, 5])"))
