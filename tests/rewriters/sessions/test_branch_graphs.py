"""Tensors in a branch of Python's, of what is there already; conditions that always hold."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf

def encoder(x, n, keep):
    with tf.variable_scope("encoder"):
        w = tf.get_variable('w', [x.get_shape()[1], n])
        return tf.nn.dropout(tf.matmul(x, w), keep)

def decoder(z, n, keep, reuse=False):
    with tf.variable_scope("decoder", reuse=reuse):
        w = tf.get_variable('w', [z.get_shape()[1], n])
        return tf.nn.dropout(tf.matmul(z, w), keep)

def decode(z, n):
    y = decoder(z, n, 1.0, reuse={reuse})
    return y

def main(plot):
    x = tf.placeholder(tf.float32, [None, 3])
    z_in = tf.placeholder(tf.float32, [None, 2])
    keep = tf.placeholder(tf.float32)
    z = encoder(x, 2, keep)
    y = decoder(z, 3, keep)
    loss = tf.reduce_mean(tf.square(x - y))
    t_vars = tf.trainable_variables()
    g_vars = [v for v in t_vars if "encoder" in v.name]
    all_vars = [v for v in t_vars if "encoder" or "decoder" in v.name]
    step = tf.train.AdamOptimizer(.1).minimize(loss, var_list=all_vars)
    step_g = tf.train.AdamOptimizer(.1).minimize(loss, var_list=g_vars)
    if plot and len(sys.argv) < 9:
        plot = np.ones([1, 2])
        labels = plot * 2
        decoded = {decoded}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(3):
            a = np.array([[1, 2, i]])
            _, l = sess.run([step, loss], {{x: a, keep: 1.}})
            sess.run(step_g, {{x: a, keep: 1.}})
            print('%.5f' % l)
        if plot is not None:
            print(sess.run(decoded, {{z_in: plot}}).round(4), labels)

main(True)
"""


def program(decoded: str = "decode(z_in, 3)", reuse: str = "True") -> str:
    return PROGRAM.format(decoded=decoded, reuse=reuse)


def test_tensors_of_what_is_there_stand_above_the_branch() -> None:
    text = after(program())
    assert "compute_decoded(plot)" in text
    assert "all_vars = [v for v in t_vars]" in text
    assert "        labels = plot * 2\n" in text


@pytest.mark.parametrize(
    "decoded", ["decode(z_in * plot, 3)", "decode(z_in, int(input()))", "decode(z_in, 3) * labels"]
)
def test_what_reads_the_branch_keeps_the_session(decoded: str) -> None:
    stopped(program(decoded))


def test_new_variables_keep_the_session() -> None:
    source = (
        program().replace("reuse=True)", "reuse=False)").replace('"decoder", reuse', '"d", reuse')
    )
    stopped(source.replace("    y = decoder(z, 3, keep)", "    y = encoder(z, 3, keep)"))
