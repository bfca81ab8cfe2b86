"""Attention as guides write it: sizes by default, keywords in a dict, a triangle of ones."""

from __future__ import annotations

from tests.rewriters.test_sessions import after, upgrade

PROGRAM = """\
import numpy as np
import tensorflow as tf

size, heads = 4, 2


def normalize(inputs, scope="ln"):
    with tf.variable_scope(scope):
        shape = inputs.get_shape()
        params_shape = shape[-1:]
        mean, variance = tf.nn.moments(inputs, [-1], keep_dims=True)
        beta = tf.Variable(tf.zeros(params_shape))
        outputs = (inputs - mean) / (variance + 1e-8) ** .5 + beta
    return outputs


def attention(queries, keys, num_units=None, scope="attention"):
    with tf.variable_scope(scope):
        if num_units is None:
            num_units = queries.get_shape().as_list()[-1]
        q = tf.layers.dense(queries, num_units)
        params = {"inputs": keys, "units": num_units, "activation": tf.nn.relu}
        k = tf.layers.dense(**params)
        scores = tf.matmul(q, tf.transpose(k, [0, 2, 1]))
        ones = tf.ones_like(scores[0, :, :])
        mask = tf.linalg.LinearOperatorLowerTriangular(ones).to_dense()
        outputs = tf.matmul(tf.nn.softmax(scores * mask), k) + queries
        outputs = normalize(outputs)
    return outputs


x = tf.placeholder(tf.float32, [2, 3, 4])
y = x
for i in range(2):
    with tf.variable_scope("block_{}".format(i)):
        y = attention(queries=y, keys=y, num_units=SIZE)
loss = tf.reduce_mean(y)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: np.ones([2, 3, 4])}))
"""


def program(size: str = "size") -> str:
    return PROGRAM.replace("SIZE", size)


def test_a_default_that_no_call_needs_goes() -> None:
    text = after(program())
    assert "num_units is None" not in text
    assert "class Normalize(tf.keras.layers.Layer):" in text


def test_a_default_that_a_call_may_need_stays() -> None:
    for size in ("None", "int(np.inf > 1) or None"):
        result = upgrade(program(size))
        assert result.after is not None
        assert b"num_units is None" in result.after


def test_keywords_in_a_dict_are_written_out() -> None:
    text = after(program())
    assert "tf.keras.layers.Dense(num_units, activation=tf.nn.relu)" in text
    assert "params" not in text.replace("params_shape", "")


def test_a_dict_that_is_read_again_stays() -> None:
    used = program().replace("        scores = ", "        print(params)\n        scores = ")
    result = upgrade(used)
    assert result.after is not None
    assert b"**params" in result.after


def test_a_linear_operator_is_applied_where_it_was() -> None:
    text = after(program())
    assert "mask = tf.linalg.LinearOperatorLowerTriangular(ones).to_dense()" in text
