"""Tensors of placeholders that an object is given: it is given the placeholders."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, support, size):
        \"\"\"A net.\"\"\"
        self.support = support
        w = tf.Variable(tf.ones([3, size]))
        self.build(w)

    def build(self, w):
        self.loss = tf.reduce_sum(tf.sparse_tensor_dense_matmul(self.support, w))
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


support = tf.sparse_placeholder(tf.float32)
net = Net(support, size=2)
value = [[0, 1], [1, 2]], [1., 2.], [2, 3]
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([net.step, net.loss], {support: value})[1])
"""


def test_an_object_is_given_a_sparse_placeholder() -> None:
    found = after(PROGRAM)
    assert "net = Net(support_indices, support_values, support_shape, size=2)\n" in found
    assert '        """A net."""\n        self.support_indices = support_indices\n' in found
    assert "            support = tf.SparseTensor(support_indices, support_values, " in found
    assert "train_step(value[0], value[1], value[2])" in found


def test_a_keyword() -> None:
    found = after(PROGRAM.replace("Net(support, size=2)", "Net(size=2, support=support)"))
    assert "net = Net(size=2, support_indices=support_indices, " in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "net = Net(support, size=2)",
            "more = tf.add(tf.random_normal([]), 1.)\nnet = Net(more, 2)",
        ),
        ("net = Net(support, size=2)", "net = Net(tf.sparse_reorder(support), 2)"),
        ("net = Net(support, size=2)", "net = Net(support, 2)\nother = Net(support, 2)"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new, 1))
