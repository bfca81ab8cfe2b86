"""Functions whose `reuse` is `tf.AUTO_REUSE` where a call says nothing."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])


def net(t, PARAMETER=tf.AUTO_REUSE):
    with tf.variable_scope('n', reuse=PARAMETER):
        return MADE


out = net(x) + net(2.0 * x)
loss = tf.reduce_mean(tf.square(out))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, step], {x: [[1.0, 2.0, 3.0, 4.0]]})[0])
"""


@pytest.mark.parametrize("parameter", ["reuse", "again"])
@pytest.mark.parametrize(
    "made", ["tf.layers.dense(t, 3, name='d')", "tf.matmul(t, tf.get_variable('w', [4, 3]))"]
)
def test_two_calls_have_the_same_variables(parameter: str, made: str) -> None:
    # They were two nets.
    text = after(PROGRAM.replace("PARAMETER", parameter).replace("MADE", made))
    assert text.count("net()") == 2  # what makes the variables, and its one call
