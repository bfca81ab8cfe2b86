"""Functions that compute and print: what they print is printed where they are made."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    loud = True

    def __init__(self):
        self.build()

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 8, 8, 3])
        self.pool_1 = self.pool(1, self.x, 2)
        self.conv_2 = self.conv(2, self.pool_1, 4)
        self.pool_3 = self.pool(3, self.conv_2, 2)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.saver = tf.train.Saver()
        print("built")

    def conv(self, i, inputs, n):
        w = tf.Variable(tf.ones([1, 1, 3, n]))
        return tf.nn.conv2d(inputs, w, [1, 1, 1, 1], "SAME")

    def pool(self, i, inputs, size):
        SHOWN
        return tf.nn.max_pool(inputs, [1, size, size, 1], [1, size, size, 1], "SAME")

    def run(self, x):
        y = self.sess.run(self.pool_3, {self.x: x})
        self.saver.save(self.sess, "net.ckpt")
        return y


net = Net()
print(net.run(np.ones([1, 8, 8, 3])).shape)
"""


@pytest.mark.parametrize(
    "shown",
    [
        "print('pool %d: %d' % (i, size))",
        "if self.loud: print('pool', i, size)",
        "if self.loud:\n            print('pool')\n        print(size)",
    ],
)
def test_a_method_that_prints_is_made_first(shown: str) -> None:
    text = after(NET.replace("SHOWN", shown))
    assert f"    def pool(self, i, size):\n        {shown}\n\n        def apply(inputs):\n" in text
    made = "pool_1_layer = self.pool(1, 2)\n        conv_2_layer = self.conv(2, 4)\n"
    assert made + "        pool_3_layer = self.pool(3, 2)\n" in text
    assert "Checkpoint(conv_2_layer=conv_2_layer.variables)" in text


def test_a_function_that_prints_and_one_that_calls_it() -> None:
    text = after(
        """\
import tensorflow as tf


def half(x, name):
    print("half of", name)
    return x * 0.5


def quarter(x, name):
    h = half(x, name)
    return half(h, name + " again")


x = tf.placeholder(tf.float32, [None])
y = quarter(x, "x")
z = half(y, "y")
with tf.Session() as sess:
    print(sess.run([y, z], {x: [1.0]}))
    print(sess.run(y, {x: [2.0]}))
"""
    )
    assert 'def half(name):\n    print("half of", name)\n\n    def apply(x):\n' in text
    assert "def quarter(name):\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # what is called besides may be anything
        ("SHOWN", "print(tick())", "`tick` is called"),
        # it isn't a function of what it is given alone
        ("SHOWN", "print(size); self.count = i", "returns a part"),
        ("SHOWN", "print('pool', np.random.rand())", "random"),
    ],
)
def test_what_does_more_keeps_the_session(old: str, new: str, reason: str) -> None:
    assert reason in stopped(NET.replace(old, new))


def test_what_layers_are_applied_to_is_printed_where_they_are() -> None:
    text = after(
        "import numpy as np\nimport tensorflow as tf\n\n\n"
        "def net(x):\n"
        "    with tf.variable_scope('net'):\n"
        "        print('input:', x)\n"
        "        x = tf.layers.dense(x, 3)\n"
        "        print('output:', x)\n"
        "        return x\n\n\n"
        "x = tf.placeholder(tf.float32, [None, 2])\n"
        "y = net(x)\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run(y, {x: np.ones([4, 2])}))\n"
    )
    made = text.index("print('input:', x)\n")
    assert made < text.index("x = dense_layer(x)\n") < text.index("print('output:', x)\n")


def test_one_in_the_block_of_a_class_s_graph_loses_its_parameter_and_its_depth() -> None:
    text = after(
        "import tensorflow as tf\n\n\n"
        "class Net:\n"
        "    def __init__(self):\n"
        "        self.graph = tf.Graph()\n\n"
        "    def define(self):\n"
        "        with self.graph.as_default():\n"
        "            self.x = tf.placeholder(tf.float32, shape=(5, 4))\n"
        "            self.t = tf.placeholder(tf.float32, shape=(3, 4))\n"
        "            w = tf.Variable(tf.zeros([4, 2]))\n\n"
        "            # the net\n"
        "            def model(data):\n"
        "                print(data.get_shape())\n"
        "                return tf.matmul(data, w)\n\n"
        "            self.loss = tf.reduce_mean(model(self.x))\n"
        "            self.test = tf.nn.softmax(model(self.t))\n\n"
        "    def run(self, a, b):\n"
        "        with tf.Session(graph=self.graph) as session:\n"
        "            session.run(tf.global_variables_initializer())\n"
        "            print(session.run(self.loss, {self.x: a}))\n"
        "            print(session.run(self.test, {self.t: b}))\n\n\n"
        "net = Net()\n"
        "net.define()\n"
        "net.run([[1.0] * 4] * 5, [[1.0] * 4] * 3)\n"
    )
    assert "        # the net\n        def model():\n            def apply(data):\n" in text
