"""What a function gives beside its tensor and nobody reads goes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Sizes:
    def __init__(self, n):
        self.state = n


def model(x, n):
    sizes = Sizes(n)
    h = tf.layers.dense(x, n)
    return h + 1.0, {second}


x = tf.placeholder(tf.float32, [None, 2])
y, size = model(x, 3)
loss = tf.reduce_mean(y)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([loss, train], {{x: [[1.0, 2.0]]}})[0])
{tail}
"""


def test_a_size_of_a_module_that_nobody_reads() -> None:
    text = after(PROGRAM.format(second="sizes.state", tail=""))
    assert "        return h + 1.0\n" in text
    assert "size =" not in text
    assert ", size" not in text


@pytest.mark.parametrize(
    ("second", "tail"),
    [
        ("sizes.state", "print(size)"),
        ("sizes.state", "print(globals()['size'])"),
        ("sizes.state", "def later():\n    global size\n    size = 2"),
        ("print(n)", ""),  # it does something
    ],
)
def test_what_is_read_or_does_something_stays(second: str, tail: str) -> None:
    assert stopped(PROGRAM.format(second=second, tail=tail))
