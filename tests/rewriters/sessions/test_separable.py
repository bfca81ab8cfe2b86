"""Slim's separable convolutions, and what slim's Inception v2 asks for around them."""

from __future__ import annotations

import pytest

from migrate.rewriters.legacy_keras import _saved
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])


def base(inputs, wide=True, data_format='NHWC', final_endpoint='b', scope='net'):
    end_points = {{}}
    with tf.variable_scope(scope, 'net', [inputs]):
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], data_format=data_format):
            end_point = 'a'
            if wide:
                many = min(int(8 / 3), 2)
                net = slim.separable_conv2d(
                    inputs, 4, [3, 3], depth_multiplier=many, scope=end_point)
            else:
                net = slim.conv2d(inputs, 4, [3, 3], scope=end_point)
            end_points[end_point] = net
            if end_point == final_endpoint: return net, end_points
            end_point = 'b'
            with tf.variable_scope(end_point):
                left = slim.conv2d(net, 2, [3, 3], scope='left')
                net = tf.concat(axis=3, values=[left, slim.max_pool2d(net, 3, 1, 'SAME')])
                end_points[end_point] = net
                if end_point == final_endpoint: return net, end_points
                {more}
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


out, end_points = base(x{given})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, end_points['a']], {{x: [[[[0.5] * 3] * 8] * 8]}}))
"""
SEPARABLE = """\
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
{before}
y = slim.separable_conv2d(x, {arguments})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[[[0.5] * 3] * 8] * 8]}}))
"""


def test_the_last_part_may_stand_in_a_scope_of_its_own() -> None:
    text = after(PROGRAM.format(more="", given=""))
    assert "raise ValueError" not in text
    assert "end_point =" not in text
    assert "tf.keras.layers.SeparableConv2D(" in text
    assert "data_format=" not in text.partition("def base")[2].partition("\n")[2]


@pytest.mark.parametrize(
    ("more", "given"),
    [
        ("net = net + 1.0", ""),  # more follows
        ("", ", data_format='NCHW'"),
        ("", ", final_endpoint='a'"),
    ],
)
def test_what_isnt_told_keeps_the_session(more: str, given: str) -> None:
    assert stopped(PROGRAM.format(more=more, given=given))


def test_without_outputs_it_is_a_depthwise_convolution() -> None:
    arguments = "None, [3, 3], depth_multiplier=2, weights_regularizer=slim.l2_regularizer(0.1)"
    text = after(SEPARABLE.format(before="", arguments=arguments))
    assert "tf.keras.layers.DepthwiseConv2D(" in text
    assert "depthwise_regularizer=tf.keras.regularizers.L2(0.05)" in text
    assert "pointwise" not in text


def test_the_second_half_starts_as_the_first() -> None:
    start = "weights_initializer=tf.truncated_normal_initializer(stddev=0.1)"
    text = after(SEPARABLE.format(before="", arguments=f"4, 3, {start}"))
    same = "tf.keras.initializers.TruncatedNormal(stddev=0.1)"
    assert f"depthwise_initializer={same}" in text
    assert f"pointwise_initializer={same}" in text
    zeros = f"4, 3, {start}, pointwise_initializer=tf.zeros_initializer()"
    text = after(SEPARABLE.format(before="", arguments=zeros))
    assert f"depthwise_initializer={same}" in text
    assert "pointwise_initializer=tf.keras.initializers.Zeros()" in text


def test_one_object_for_both_halves_keeps_the_session() -> None:
    before = "start = tf.truncated_normal_initializer(stddev=0.1)"
    program = SEPARABLE.format(before=before, arguments="4, 3, weights_initializer=start")
    assert stopped(program) == "6: an initializer that a separable convolution shares"


def test_tf_keras_calls_a_depthwise_kernel_by_another_name() -> None:
    ours = {"names": {"a/depthwise_weights": "a_layer/kernel", "b/kernel": "cell/kernel"}}
    assert _saved(ours) == {
        "names": {"a/depthwise_weights": "a_layer/depthwise_kernel", "b/kernel": "cell/kernel"}
    }
