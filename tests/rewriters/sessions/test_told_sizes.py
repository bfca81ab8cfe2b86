"""Sizes of shapes that Python asks for where layers are made: numbers, arguments, a loop's."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

BLOCK = """\
import tensorflow as tf


def block(x, filters, name):
    with tf.variable_scope(name):
        shortcut = x
        if {asked} != filters:
            shortcut = tf.layers.conv2d(x, filters, 1, name='shortcut')
        out = tf.layers.conv2d(x, filters, 3, padding='same', name='conv')
        return tf.nn.relu(out + shortcut)


images = tf.placeholder(tf.float32, [None, 8, 8, 3])
{net}
loss = tf.reduce_mean(net)
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{images: [[[[1.] * 3] * 8] * 8]}})
"""
CALLS = "net = block(images, 3, 'a')\nnet = block(net, 6, 'b')"


@pytest.mark.parametrize(
    "asked", ["x.get_shape()[-1]", "x.shape[3].value", "int(x.get_shape().as_list()[3])"]
)
def test_a_branch_on_channels_asks_an_argument(asked: str) -> None:
    text = after(BLOCK.format(asked=asked, net=CALLS))
    assert "def block(filters, name, x_channels):\n    if x_channels != filters:\n" in text
    assert "a_layer = block(3, 'a', x_channels=3)\n" in text
    assert "b_layer = block(6, 'b', x_channels=3)\n" in text
    assert "        shortcut = x\n        if x_channels != filters:\n" in text


def test_the_author_calls_it_something() -> None:
    asked = "    with tf.variable_scope(name):\n        shortcut = x\n"
    program = BLOCK.format(asked="n_in", net=CALLS)
    text = after(program.replace(asked, f"    n_in = x.shape[-1].value\n{asked}"))
    assert "def block(filters, name, n_in):\n    if n_in != filters:\n" in text
    assert "block(6, 'b', n_in=3)" in text


def test_rounds_of_a_loop_tell_it() -> None:
    loop = "net = images\nfor i in range(3):\n    net = block(net, 4, 'b%d' % i)"
    text = after(BLOCK.format(asked="x.get_shape()[-1]", net=loop))
    assert "[block(4, 'b%d' % i, x_channels=3 if i == 0 else 4) for i in range(3)]" in text


def test_a_function_of_functions_is_told_by_its_own_arguments() -> None:
    stage = "def stage(x, n):\n    x = block(x, n, 'one')\n    return block(x, n, 'two')\n\n\n"
    program = BLOCK.format(asked="x.get_shape()[-1]", net="net = stage(images, 4)")
    text = after(program.replace("images =", f"{stage}images =", 1))
    assert "block(n, 'one', x_channels=3)" in text
    assert "block(n, 'two', x_channels=4)" in text or "x_channels=n)" in text


@pytest.mark.parametrize(
    ("net", "more"),
    [
        ("net = block(tf.reshape(images, shape), 4, 'a')\nnet = block(net, 6, 'b')", True),
        ("net = block(images, 4, 'a')\nnet = block(net, 6, 'b')\nkept = print(block)", False),
    ],
)
def test_what_is_not_told_keeps_the_session(net: str, more: bool) -> None:
    program = BLOCK.format(asked="x.get_shape()[-1]", net=net)
    if more:
        program = program.replace("images =", "shape = eval(input())\nimages =", 1)
    assert stopped(program)


def test_a_window_over_the_whole_image_is_a_number() -> None:
    text = after("""\
import tensorflow as tf
slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])
net = slim.conv2d(x, 4, [3, 3], stride=2)
net = slim.avg_pool2d(net, net.get_shape()[1:3], padding='VALID')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(net, {x: [[[[1.] * 3] * 8] * 8]})
""")
    assert "[4, 4]" in text
    assert "get_shape" not in text


def test_a_branch_that_always_goes_one_way_is_that_way() -> None:
    text = after("""\
import tensorflow as tf


def net(x):
    n = x.get_shape().as_list()[1]
    if n > 4:
        x = tf.layers.dense(x, n // 2)
    return tf.layers.dense(x, 2)


x = tf.placeholder(tf.float32, [None, 8])
y = net(x)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(y, {x: [[1.] * 8]})
""")
    assert "if " not in text
    assert "    n = 8\n    dense_layer = tf.keras.layers.Dense(n // 2)\n" in text


@pytest.mark.parametrize("way", ["tf.nn.sigmoid(z)", "tf.layers.dense(z, 3)"])
def test_what_one_way_of_a_branch_leaves_is_there(way: str) -> None:
    text = after(f"""\
import tensorflow as tf
flag = bool(input())
x = tf.placeholder(tf.float32, [None, 3])
z = tf.nn.relu(x)
h = z
if flag:
    h = {way}
y = tf.reduce_sum(h + z)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1., 2., 3.]]}}))
""")
    assert "    h = z\n    if flag:\n" in text


FLAT = """\
import tensorflow as tf


def weights(shape):
    return tf.Variable(tf.truncated_normal(shape, stddev=0.05))


def conv(x, n_in, n_out):
    return tf.nn.relu(tf.nn.conv2d(x, weights([3, 3, n_in, n_out]), [1, 2, 2, 1], 'SAME'))


def flatten(layer):
    shape = layer.get_shape()
    features = shape[1:4].num_elements()
    return tf.reshape(layer, [-1, features]), features


def dense(x, n_in, n_out):
    return tf.matmul(x, weights(shape=[n_in, n_out]))


images = tf.placeholder(tf.float32, [None, 8, 8, 3])
flat, features = flatten(conv(images, 3, 6))
logits = dense(flat, features, 2)
loss = tf.reduce_mean(tf.square(logits))
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {images: [[[[1.] * 3] * 8] * 8]})
"""


def test_a_size_that_a_function_returns_beside_a_tensor_is_a_number() -> None:
    text = after(FLAT)
    assert "logits_layer = dense(96, 2)\n" in text
    assert "    flat, features = flatten(conv_layer(images))\n" in text


def test_a_size_that_is_open_keeps_the_session() -> None:
    text = FLAT.replace("[None, 8, 8, 3]", "[None, None, 8, 3]")
    assert "a variable starts with a tensor" in stopped(text)


HELPED = """\
import tensorflow as tf


def smaller(tensor, size):
    shape = tensor.get_shape().as_list()
    if shape[1] is None:
        out = size
    else:
        out = [min(shape[1], size[0]), min(shape[2], size[1])]
    return out


def net(x, aux=True, classes=3):
    if aux and classes:
        size = smaller(x, [5, 5])
        x = tf.layers.conv2d(x, 4, size, name='conv_{}x{}'.format(*size))
    size = smaller(x, [7, 7])
    return tf.layers.average_pooling2d(x, size, 1, name='pool_{}x{}'.format(*size))
net.default_size = 8


images = tf.placeholder(tf.float32, [2, 8, 8, 3])
loss = tf.reduce_mean(net(images))
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {images: [[[[1.] * 3] * 8] * 8] * 2})
"""


def test_a_helper_tells_a_size_and_a_name_is_made_of_it() -> None:
    text = after(HELPED)
    assert "Conv2D(4, [5, 5], name='conv_5x5')" in text
    assert "AveragePooling2D([4, 4], 1, name='pool_4x4')" in text
    assert "smaller(x" not in text
    assert "if aux" not in text


def test_a_helper_that_leaves_a_trace_is_called() -> None:
    asked = "    shape = tensor.get_shape().as_list()\n"
    assert "kernel_size" in stopped(HELPED.replace(asked, asked + "    print(shape)\n"))


def test_two_answers_keep_the_branch() -> None:
    stopped(HELPED.replace("(net(images))", "(net(images) + net(images, False, 0))"))


METHOD = """\
import tensorflow as tf


class Net(object):
    def __init__(self, size):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.size = size
        h = self.layer(self.x, "first")
        self.y = self.layer({second}, "second")

    def layer(self, x, scope):
        with tf.variable_scope(scope):
            w = tf.get_variable("w", [x.get_shape()[-1], self.size])
            return tf.matmul(x, w)


net = Net({size})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: [[1.0, 2.0, 3.0]]}}))
"""


def test_a_method_that_makes_a_variable_is_told_the_size() -> None:
    text = after(METHOD.format(second="h", size=2))
    assert 'self.layer("first", x_channels=3)' in text
    assert 'self.layer("second", x_channels=2)' in text
    assert "def layer(self, scope, x_channels):" in text
    assert "([x_channels, self.size])" in text


def test_a_method_whose_size_nothing_tells_keeps_the_session() -> None:
    unknown = METHOD.format(second="h", size='int(open("size").read())')
    assert "a variable starts with a tensor" in stopped(unknown)


def test_a_variable_that_starts_with_zeros_of_a_size_beside_a_switch() -> None:
    text = after(
        """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])


def norm(x, training, scope):
    with tf.variable_scope(scope):
        n = x.get_shape()[-1].value
        mean = tf.Variable(tf.zeros([n]), trainable=False, name='mean')
        now = tf.reduce_mean(x, 0)

        def updated():
            with tf.control_dependencies([mean.assign_sub((mean - now) * 0.1)]):
                return tf.identity(now)

        shift = tf.cond(training, updated, lambda: mean.read_value())
        return tf.nn.batch_normalization(x, shift, tf.ones([n]), None, None, 1e-3)


y = norm(tf.layers.dense(norm(x, training, 'a'), 2), training, 'b')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones((2, 3)), training: True}))
"""
    )
    assert "def norm(scope, n):\n" in text
    assert "a_layer = norm('a', n=3)\n" in text
    assert "b_layer = norm('b', n=2)\n" in text


PADDED = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 8, 8, 3])
        self.one = self.conv(self.x, 4, 3)
        self.two = self.conv(self.one, 5, 3)
        self.out = self.full(self.two, 6, flat=True)
        self.end = self.full(self.out, 2)

    def conv(self, x, n, size):
        channels = x.get_shape()[3]
        w = tf.Variable(tf.truncated_normal([size, size, int(channels), n], stddev=0.1))
        half = size // 2
        PADS
        padded = tf.pad(x, pads)
        conv = tf.nn.conv2d(padded, w, [1, 2, 2, 1], "VALID")
        return tf.nn.relu(conv)

    def full(self, x, n, flat=False):
        shape = x.get_shape().as_list()
        if flat:
            dim = shape[1] * shape[2] * shape[3]
            rows = tf.reshape(x, [-1, dim])
        else:
            dim = shape[1]
            rows = x
        w = tf.Variable(tf.truncated_normal([dim, n], stddev=0.1))
        return tf.matmul(rows, w)


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.end, {net.x: np.ones([1, 8, 8, 3])}).shape)
"""
PADS = "pads = np.array([[0, 0], [half, half], [half, half], [0, 0]])"


@pytest.mark.parametrize(
    "pads",
    [
        PADS,
        "pads = np.asarray([[0, 0], [half, half], (half, half), [0, 0]], dtype=np.int32)",
        "rows = [half, half]\n        pads = np.array([[0, 0], rows, rows, [0, 0]])",
    ],
)
def test_paddings_in_an_array_and_a_branch_of_sizes_and_tensors(pads: str) -> None:
    text = after(PADDED.replace("PADS", pads))
    assert "one_layer = self.conv(4, 3, channels=3)\n" in text
    assert "two_layer = self.conv(5, 3, channels=4)\n" in text
    assert "if flat:\n            dim = 2 * 2 * 5\n        else:\n            dim = 4\n" not in text
    assert "if flat:\n            dim = 2 * 2 * 5\n        else:\n            dim = 6\n" in text
    assert "            if flat:\n                rows = tf.reshape(x, [-1, dim])\n" in text


@pytest.mark.parametrize(
    "pads",
    [
        f"{PADS}\n        pads[1] = [0, 2]",
        f"{PADS}\n        pads[2][0] += 1",
        f"{PADS}\n        pads *= 2",
        f"{PADS}\n        row = pads[1]\n        row[0] = 5",
        f"{PADS}\n        pads.fill(2)",
        f"{PADS}\n        np.copyto(pads, 1)",
        f"{PADS}\n        pads = pads * 2",
        "pads = np.array([[0, 0], [half, half], [half, half]])",
        "pads = np.array([[0, 0], [half / 2, half], [half, half], [0, 0]])",
        "pads = np.array(open('pads').read())",
    ],
)
def test_an_array_that_changes_tells_no_size(pads: str) -> None:
    assert "a variable starts with a tensor" in stopped(PADDED.replace("PADS", pads))


ROUNDS = """\
import types

import tensorflow as tf


def conv(net, n, name):
    depth = net.shape[-1].value
    with tf.variable_scope(name):
        w = tf.get_variable("w", [1, 1, depth, n])
    return tf.nn.conv2d(net, w, [1, 1, 1, 1], "SAME"), w


def block(net, name):
    small = net.shape[-1].value // 4
    with tf.variable_scope(name):
        first, w1 = conv(net, small, "a")
        second, w2 = conv(first, 12, "b")
    return second, [w1, w2]


x = tf.placeholder(tf.float32, [None, 4, 4, 8])
holder = types.SimpleNamespace()
holder.x = x
net, ws = block(x, "one")
net, vs = block(net, "two")
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(net, {x: [[[[1, 2] * 4] * 4] * 4]}))
"""


def test_a_size_that_one_call_does_not_tell_asks_nothing_of_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The caller's caller got one more argument in each round, until Python's stack ended."""
    convert = importlib.import_module("migrate.rewriters.sessions.convert")
    rounds, followed = [], convert._converted

    def counted(*args: Any) -> Any:
        rounds.append(args)
        return followed(*args)

    monkeypatch.setattr(convert, "_converted", counted)
    assert stopped(ROUNDS).endswith(": a part of the graph is kept in an attribute")
    assert len(rounds) < 10
