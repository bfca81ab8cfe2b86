"""Objects that are asked for a part of their graph where they are made: ``Net(x).y``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

READ = """\
import tensorflow as tf


class Net(object):
    def __init__(self, x, n=3):
        w = tf.get_variable('w', [4, n])
        self.y = tf.tanh(tf.matmul(x, w))


x = tf.placeholder(tf.float32, [None, 4])
{read}
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, y], {{x: [[1, 2, 3, 4]]}})[1])
"""


@pytest.mark.parametrize("read", ["y = Net(x).y", "y = tf.nn.relu(Net(x, n=2).y)"])
def test_what_is_asked_where_it_is_made_is_made_above(read: str) -> None:
    text = after(READ.format(read=read))
    assert "\nnet = Net(" in text
    assert "net.compute_y(x)" in text


@pytest.mark.parametrize(
    "read", ["y = x * 2 if x is None else Net(x).y", "y = [Net(x).y for _ in range(2)][0]"]
)
def test_what_is_asked_where_it_may_be_made_stays(read: str) -> None:
    stopped(READ.format(read=read))
