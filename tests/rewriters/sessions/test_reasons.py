"""Why what TF 1 has keeps the session, where more is said than that it isn't followed."""

from __future__ import annotations

import pytest

from migrate.programs.graph.reasons import ARGUMENTS, REASONS, of, unfollowed
from tests.rewriters.sessions.test_sessions import stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [4, 6])
images = tf.placeholder(tf.float32, [4, 5, 5, 3])
"""
TAIL = """
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(out))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {x: np.ones([4, 6]), images: np.ones([4, 5, 5, 3])})
"""


def test_an_endpoint_without_a_reason() -> None:
    assert unfollowed("tensorflow.contrib.rnn.GridLSTMCell").endswith("isn't followed yet")
    assert of("axis") == ""


@pytest.mark.parametrize(
    ("middle", "why"),
    [
        (
            "w = tf.get_variable('w', [6, 2], partitioner=tf.fixed_size_partitioner(2))\n"
            "out = tf.matmul(x, w)\n",
            REASONS["fixed_size_partitioner"],
        ),
        (
            "with tf.variable_scope('a', custom_getter=lambda g, *a, **k: g(*a, **k) * 2.0):\n"
            "    out = tf.layers.dense(x, 2)\n",
            ARGUMENTS["custom_getter"],
        ),
        (
            "h = tf.layers.batch_normalization(images, training=True, renorm=True)\n"
            "out = tf.layers.dense(tf.layers.flatten(h), 2)\n",
            ARGUMENTS["renorm"],
        ),
        (
            "out = tf.layers.dense(x, 2, activity_regularizer=tf.nn.l2_loss)\n",
            ARGUMENTS["activity_regularizer"],
        ),
        (
            "out, _ = tf.contrib.legacy_seq2seq.basic_rnn_seq2seq([x], [x],"
            " tf.nn.rnn_cell.GRUCell(4))\n",
            REASONS["contrib.legacy_seq2seq.basic_rnn_seq2seq"],
        ),
        (
            "out, _ = tf.contrib.cudnn_rnn.CudnnLSTM(1, 4)(x[None])\n",
            REASONS["contrib.cudnn_rnn.CudnnLSTM"],
        ),
    ],
)
def test_a_reason_is_told(middle: str, why: str) -> None:
    assert stopped(HEAD + middle + TAIL).endswith(why)
