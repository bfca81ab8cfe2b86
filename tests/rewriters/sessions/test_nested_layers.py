"""Functions whose variables have their input's shape, and that call such functions themselves."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """import tensorflow as tf
def norm(x):
    channels = {channels}
    shift = tf.Variable(tf.zeros([channels]))
    return x + shift
def conv(x, filters):
    {sizes}
    w = tf.Variable(tf.truncated_normal([3, 3, depth, filters]))
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
    {more}
    return norm(y)
def block(x):
    return x + conv(conv(x, 4), 4)
def net(x):
    {net}
x = tf.placeholder(tf.float32, [2, 8, 8, 3])
y = net(x)
{saver}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[[[1.0] * 3] * 8] * 8] * 2}}))
    {save}
"""
PARTS = {
    "channels": "x.get_shape()[-1].value",
    "sizes": "_, rows, columns, depth = [d.value for d in x.get_shape()]",
    "more": "pass",
    "net": "return conv(block(conv(x, 4)), 3)",
    "saver": "saver = tf.train.Saver()",
    "save": 'saver.save(sess, "model")',
}


def test_what_it_calls_is_an_attribute() -> None:
    text = after(PROGRAM.format(**PARTS))
    assert "self.norm_layer = Norm()" in text
    assert "return self.norm_layer(y)" in text


def test_dimensions_are_ints() -> None:
    text = after(PROGRAM.format(**PARTS))
    assert "_, rows, columns, depth = input_shape\n" in text
    assert ".value" not in text


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ("depth = [d.value for d in x.get_shape()][-1]", "depth = list(input_shape)[-1]"),
        ("size = x.get_shape()[3]\n    depth = size.value", "depth = size\n"),
    ],
)
def test_other_ways_to_say_it(sizes: str, told: str) -> None:
    assert told in after(PROGRAM.format(**{**PARTS, "sizes": sizes}))


def test_a_value_of_what_isn_t_seen_to_be_a_dimension_keeps_the_session() -> None:
    sizes = "sizes = x.get_shape()\n    depth = sizes[3].value"
    assert stopped(PROGRAM.format(**{**PARTS, "sizes": sizes}))


def test_a_saver_has_them_in_lists() -> None:
    text = after(PROGRAM.format(**PARTS))
    assert "apply.parts = [conv_layer, *block_layer.parts, conv_layer_2]" in text
    assert "tf.train.Checkpoint(net_layer=net_layer.parts)" in text


def test_ops_on_sizes_are_the_call_s() -> None:
    more = "shape = tf.stack([2, rows, columns, filters])\n    y = tf.reshape(y, shape)"
    text = after(PROGRAM.format(**{**PARTS, "more": more}))
    assert (
        "        shape = tf.stack([2, self.rows, self.columns, self.filters])"
        in text.split("call(")[2]
    )


@pytest.mark.parametrize(
    "changes",
    [
        # what a branch makes isn't in the list
        {"net": "y = conv(x, 4)\n    if len('ab') > 2:\n        y = block(y)\n    return y"},
        # what the inner layer is told is computed of the input
        {"more": "y = norm(y) * norm(conv(y, rows))"},
    ],
)
def test_what_keeps_the_session(changes: dict[str, str]) -> None:
    assert stopped(PROGRAM.format(**{**PARTS, **changes}))


def test_functions_of_keras_layers_beside_them() -> None:
    net = "return tf.layers.dense(plain(block(conv(x, 4))), 2)\n"
    net += "def plain(x):\n    return tf.layers.dense(x, 3)"
    text = after(PROGRAM.format(**{**PARTS, "net": net}))
    assert "*plain_layer.layers" in text
