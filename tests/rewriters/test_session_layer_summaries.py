"""Summaries beside a layer function's variables: the function stands where it is called."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """import tensorflow as tf


def fc_layer(x, units, name, use_relu=True):
    with tf.variable_scope(name):
        size = x.get_shape()[1]
        W = tf.get_variable('W', [size, units], initializer=tf.zeros_initializer())
        tf.summary.histogram('weight', W)
        b = tf.get_variable('b', initializer=tf.constant(0., shape=[units], dtype=tf.float32))
        layer = tf.matmul(x, W)
        layer += b
        if use_relu:
            layer = tf.nn.relu(layer)
        tf.summary.histogram('activation', layer)
        return layer


x = tf.placeholder(tf.float32, [None, 20])
fc1 = fc_layer(x, 8, 'FC1')
out = fc_layer(fc1, 4, 'OUT', use_relu=False)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter('logs')
    writer.add_summary(sess.run(merged, {x: [[1.] * 20]}), 0)
    writer.close()
"""


def upgraded(source: str) -> str:
    (result,) = texts({"case.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, result.left
    assert result.after is not None
    return result.after.decode()


def test_each_call_has_its_own_summaries() -> None:
    after = upgraded(SOURCE)
    assert "def fc_layer" not in after
    for tag in ("FC1/weight", "OUT/weight", "FC1/activation", "OUT/activation"):
        assert f"'{tag}': " in after, after
    assert "Session" not in after


def test_a_size_of_a_sum_with_a_variable_that_a_constant_shapes_is_told() -> None:
    """`get_variable(name, initializer=tf.constant(…, shape=[n]))` has the constant's shape."""
    after = upgraded(SOURCE.replace("        tf.summary.histogram('weight', W)\n", ""))
    assert "get_shape" not in after
