"""What a function's second call takes of TF 1's names, whose layers' names are numbered by it."""

from __future__ import annotations

from migrate.engine.options import Options
from migrate.engine.runner import texts

# The norm goes by a parameter's name, so that the call itself names no endpoint.
PROGRAM = b"""\
import numpy as np
import tensorflow as tf
import tensorflow.contrib.layers as tcl


def block(x, n, norm=tcl.batch_norm, scope=None):
    with tf.variable_scope(scope, 'block'):
        x = tcl.conv2d(x, n, kernel_size=1)
        x = norm(x)
    return x


class Net(object):
    def __call__(self, x, is_training=True):
        with tf.variable_scope('net'):
            with tf.contrib.framework.arg_scope([tcl.batch_norm], is_training=is_training):
                h = block(x, 4)
                h = block(h, 4)
                return h


net = Net()
x = tf.placeholder(tf.float32, [None, 4, 4, 3])
y = net(x, is_training=False)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: np.ones((1, 4, 4, 3))}))
"""


def test_a_layer_that_goes_by_a_parameters_name_is_replayed() -> None:
    (result,) = texts({"program.py": PROGRAM}, Options())
    assert result.left
    assert not any("in the rewriter" in f.message for f in result.left)
