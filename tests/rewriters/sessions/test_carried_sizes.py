"""Sizes that a loop's rounds take from what the last one computed, and lists of what it makes."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

AUTOENCODER = """\
import math
import numpy as np
import tensorflow as tf


def autoencoder(sizes):
    x = tf.placeholder(tf.float32, [None, sizes[0]])
    h = x
    encoder = []
    for i, n_output in enumerate(sizes[1:]):
        n_input = int(h.get_shape()[1])
        W = tf.Variable(tf.random_uniform([n_input, n_output], -1.0 / math.sqrt(n_input), 1.0))
        b = tf.Variable(tf.zeros([n_output]))
        encoder.append(W)
        output = tf.nn.tanh(tf.matmul(h, W) + b)
        h = output
    encoder.reverse()
    for i, n_output in enumerate(sizes[:-1][::-1]):
        W = tf.transpose(encoder[i])
        b = tf.Variable(tf.zeros([n_output]))
        h = tf.nn.tanh(tf.matmul(h, W) + b)
    return {'x': x, 'cost': tf.reduce_sum(tf.square(h - x))}


def main():
    ae = autoencoder([6, 4, 2])
    train = tf.train.AdamOptimizer(.01).minimize(ae['cost'])
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    sess.run(train, feed_dict={ae['x']: np.ones([5, 6])})
    print(sess.run(ae['cost'], feed_dict={ae['x']: np.ones([5, 6])}))


main()
"""
MADE = """\
    encoder = []
    n_input = sizes[0]
    Ws, bs = [], []
    for i, n_output in enumerate(sizes[1:]):
        W = tf.Variable(tf.random.uniform([n_input, n_output], -1.0 / math.sqrt(n_input), 1.0))
        bs.append(tf.Variable(tf.zeros([n_output])))
        encoder.append(W)
        n_input = n_output
        Ws.append(W)
    encoder.reverse()
"""
LISTS = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
ws = [tf.Variable(1.0)]
a = x * {first}
ws.{change}
b = x * tf.add_n(ws)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(a, {{x: 1.0}}))
print(sess.run(b, {{x: 1.0}}))
"""


def test_a_size_goes_from_round_to_round() -> None:
    text = after(AUTOENCODER)
    assert MADE in text
    assert "        for W_i, b_i in zip(Ws, bs):\n            output = " in text
    assert "            W = tf.transpose(encoder[i])\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    encoder.reverse()", "    encoder.reverse()\n    print(n_input)"),  # another number
        ("        h = output", "        n_output += 1\n        h = output"),
        ("        h = output", "        h = output\n        print(n_input)"),
        ("tf.matmul(h, W) + b)\n        h", "tf.matmul(h, encoder[-1]) + b)\n        h"),
    ],
)
def test_a_size_that_is_another_one_stays(old: str, new: str) -> None:
    assert old in AUTOENCODER
    stopped(AUTOENCODER.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("h = output", "h = tf.concat([output, h], 1)", "6 if i == 0 else 10"),
        ("h = output", "h = output\n        h = tf.concat([h, h], 1)", "6 if i == 0 else 8"),
    ],
)
def test_a_size_that_is_another_one_each_round_is_told(old: str, new: str, told: str) -> None:
    assert f"        n_input = ({told})\n" in after(AUTOENCODER.replace(old, new, 1))


@pytest.mark.parametrize("change", ["append(tf.Variable(2.0))", "reverse()"])
def test_a_list_of_variables_that_changes_behind_its_reader(change: str) -> None:
    source = LISTS.format(first="tf.add_n(ws)", change=change)
    assert "6: `ws`, a list of variables, changes behind" in stopped(source)


def test_a_list_of_variables_that_only_gets_longer_behind_what_is_read() -> None:
    assert "return x * ws[0]" in after(
        LISTS.format(first="ws[0]", change="append(tf.Variable(2.0))")
    )
    source = LISTS.format(first="ws[-1]", change="append(tf.Variable(2.0))")
    assert "changes behind" in stopped(source)
