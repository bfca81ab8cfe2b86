"""A class that two programs give placeholders of their own: they are the first one's in it."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_files import after, reasons, run

NET = """
import tensorflow as tf

class Net(object):
    def __init__(self, x, keep):
        self.x = x
        self.keep = keep
        self.build()

    def build(self):
        w = tf.get_variable("w", [{size}, 2])
        self.out = tf.matmul(tf.nn.dropout(self.x, self.keep), w)
"""
PROGRAM = """
import tensorflow as tf
from net import Net

x = tf.placeholder({dtype}, {shape})
keep = tf.placeholder(tf.float32)
net = Net(x, keep)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.out, {{x: [[1.0, 2.0, 3.0]], keep: 1.0}}))
"""


def program(shape: str, dtype: str = "tf.float32") -> str:
    """A program that gives the class an input of a shape and a type."""
    return PROGRAM.format(shape=shape, dtype=dtype)


@pytest.mark.parametrize(
    "size",
    ["3", "int(self.x.get_shape()[-1])", "self.x.shape.as_list()[1]", "len(self.x.shape) + 1"],
)
def test_batches_may_differ(size: str) -> None:
    found = run(net=NET.format(size=size), one=program("[5, 3]"), two=program("[1, 3]"))
    assert {r.level for r in found.values()} == {Level.NATIVE}, reasons(found)
    assert "@tf.function(input_signature=[self.x, self.keep])" in after(found["net"])
    assert "x = tf.TensorSpec([5, 3], tf.float32)\n" in after(found["one"])
    assert "x = tf.TensorSpec([1, 3], tf.float32)\n" in after(found["two"])


@pytest.mark.parametrize(
    ("size", "second"),
    [
        ("3", program("[1, 4]")),
        ("3", program("[1, 3]", "tf.float64")),
        ("3", program("[1, 3, 1]")),
        ("3", program("None")),
        ("self.x.get_shape()[0] - 2", program("[1, 3]")),
        ("sum(self.x.get_shape().as_list()) - 5", program("[1, 3]")),
    ],
)
def test_what_the_class_may_see_is_the_same(size: str, second: str) -> None:
    found = run(net=NET.format(size=size), one=program("[5, 3]"), two=second)
    assert {r.level for r in found.values()} == {Level.COMPAT}
    assert "`__init__` is given a placeholder" in {why for _, _, why in reasons(found)}
