"""A dict of placeholders that functions and objects are given, which take entries from it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf


"""
NET = """\
class Base(object):
    def __init__(self):
        self.placeholders = {}


class Net(Base):
    def __init__(self, placeholders, size):
        super(Net, self).__init__()
        self.inputs = placeholders['x']
        self.placeholders = placeholders
        w = tf.Variable(tf.ones([3, size]))
        self.out = tf.matmul(self.inputs, w)
        self.add_loss()
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def add_loss(self):
        self.loss = tf.reduce_mean(tf.square(self.out - self.placeholders['y']))


"""
RUN = """\
placeholders = {
    'x': tf.placeholder(tf.float32, [None, 3]),  # rows
    'y': tf.placeholder(tf.float32, [None, 2]),
    'unused': tf.placeholder_with_default(1., []),
}
net = Net(placeholders, 2)


def feeds(x, y, placeholders):
    feed_dict = dict()
    feed_dict.update({placeholders['x']: x})
    feed_dict.update({placeholders['y']: y})
    return feed_dict


def evaluate(x, y, placeholders):
    return sess.run(net.loss, feed_dict=feeds(x, y, placeholders))


sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    feed_dict = feeds(np.ones([2, 3]), np.ones([2, 2]), placeholders)
    print(sess.run([net.step, net.loss], feed_dict=feed_dict)[1])
print(evaluate(np.ones([2, 3]), np.ones([2, 2]), placeholders))
"""


def test_each_placeholder_gets_a_name() -> None:
    found = after(HEAD + NET + RUN)
    assert "x_placeholder = tf.TensorSpec([None, 3], tf.float32)  # rows\n" in found
    assert "net = Net(x_placeholder, y_placeholder, 2)\n" in found
    assert "    def __init__(self, x, y, size):\n" in found
    assert "        self.y = y\n" in found
    assert "def feeds(x, y):\n" in found
    assert '    feed_dict.update({"inputs": x})\n    feed_dict.update({"y": y})\n' in found
    assert "def evaluate(x, y):\n" in found


def test_a_dict_in_a_module_alone() -> None:
    body = "net = Net(placeholders, 2)\n"
    mine = "w = tf.Variable(tf.ones([3, 2]))\nloss = tf.reduce_mean(tf.square(tf.matmul("
    mine += "placeholders['x'], w) - placeholders['y']))\n"
    mine += "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    found = after(HEAD + RUN.replace(body, mine).replace("net.", ""))
    assert '    feed_dict.update({"x_placeholder": x})\n' in found
    assert "def train_step(x_placeholder, y_placeholder):\n" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sess = tf.Session()\n", "sess = tf.Session()\nprint(len(placeholders))\n"),
        ("sess = tf.Session()\n", "sess = tf.Session()\nprint(net.placeholders['x'].name)\n"),
        ("sess = tf.Session()\n", "sess = tf.Session()\nplaceholders = dict(placeholders)\n"),
        ("self.placeholders['y']", "self.placeholders[self.which]"),
        ("self.placeholders = {}", "self.placeholders = {'z': 1}"),
        ("    'unused'", "    0"),
        ("def feeds(x, y, placeholders)", "def feeds(x, y, placeholders=None)"),
        (
            "class Base(object)",
            "def more(model, key='placeholders'):\n    return getattr(model, "
            "key)\n\n\nclass Base(object)",
        ),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    source = HEAD + NET + RUN
    assert old in source
    assert stopped(source.replace(old, new, 1))


def test_a_function_with_a_parameter_of_the_dict_s_name() -> None:
    """Inside of it, the name means what it is given; a lambda's hides nothing of its function."""
    more = "def size(placeholders):\n    return placeholders\n\n\nprint(size(3))\n"
    more += "pick = lambda placeholders: placeholders\nprint(pick(2))\nsess = tf.Session()\n"
    found = after((HEAD + NET + RUN).replace("sess = tf.Session()\n", more))
    assert "def size(placeholders):\n    return placeholders\n" in found
    read = "def checked(x):\n    pick = lambda placeholders: placeholders\n"
    read += "    fed = {placeholders['x']: pick(x), placeholders['y']: np.ones([2, 2])}\n"
    read += "    return sess.run(net.loss, fed)\n\n\nprint(checked(np.ones([2, 3])))\n"
    found = after(HEAD + NET + RUN + read)
    assert "    pick = lambda placeholders: placeholders\n" in found
    assert '    fed = {"inputs": pick(x), "y": np.ones([2, 2])}\n' in found
