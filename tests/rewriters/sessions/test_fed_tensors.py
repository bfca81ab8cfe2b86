"""Tensors that a run feeds in place of what would have computed them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

FED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, {shape}) / 255.0
{between}y = tf.layers.dense({inputs}, 1)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0, 3.0, 4.0]]}}))
"""
TWICE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
a = tf.gather(x, [0, 2], axis=1)
y = tf.layers.dense(tf.concat([x, a], 1), 1)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
ones = [[1.0, 1.0, 1.0, 1.0]]
print(sess.run(y, {x: ones, a: sess.run(a, {x: ones})}))
"""
RESHAPED = "z = tf.reshape(x, [-1, {size}])\n"


def test_layers_are_told_the_shape_that_is_computed() -> None:
    text = after(FED.format(shape="[None, 4]", between="", inputs="x"))
    assert "@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])" in text


def test_a_reshape_tells_layers_the_rank_itself() -> None:
    text = after(FED.format(shape="None", between=RESHAPED.format(size="2"), inputs="z"))
    assert "@tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])" in text


@pytest.mark.parametrize("between", ["", "z = tf.reshape(x, tf.shape(x))\n"])
def test_layers_behind_an_unknown_rank_keep_the_session(between: str) -> None:
    found = stopped(FED.format(shape="None", between=between, inputs="z" if between else "x"))
    assert found.endswith("`x`, which is fed, goes into layers")


def test_what_computes_a_tensor_elsewhere_tells_its_shape() -> None:
    text = after(TWICE)
    assert "tf.TensorSpec(compute_a.get_concrete_function().output_shapes, tf.float32)" in text
