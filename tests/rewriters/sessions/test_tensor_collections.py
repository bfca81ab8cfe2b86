"""Collections that a program shares with TensorFlow: `'losses'` is `tf.GraphKeys.LOSSES`."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer(){KEEP})
{LOSS}
tf.add_to_collection('{KEY}', 0.1 * tf.nn.l2_loss(w))
total = tf.add_n(tf.get_collection('{KEY}'))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {x: [[1., 2.]]}))
"""
PLAIN = "loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))\ntf.add_to_collection('losses', loss)"
REGULARIZER = ", regularizer=tf.contrib.layers.l2_regularizer(0.5)"


def program(key: str, loss: str, keep: str = "") -> str:
    filled = PROGRAM.replace("{KEY}", key).replace("{LOSS}", loss)
    return filled.replace("{KEEP}", keep)


@pytest.mark.parametrize(
    "loss",
    [
        "loss = tf.losses.mean_squared_error(tf.zeros([1, 1]), tf.matmul(x, w))",
        "loss = tf.contrib.losses.mean_squared_error(tf.matmul(x, w), tf.zeros([1, 1]))",
    ],
)
def test_losses_that_tensorflow_puts_beside_the_programs_own_stay(loss: str) -> None:
    assert "into which TensorFlow puts things, too" in stopped(program("losses", loss))


@pytest.mark.parametrize(
    ("key", "keep"),
    [("regularization_losses", REGULARIZER), ("update_ops", ""), ("model_variables", "")],
)
def test_other_collections_of_tensorflow_stay(key: str, keep: str) -> None:
    assert "into which TensorFlow puts things, too" in stopped(program(key, PLAIN, keep))


@pytest.mark.parametrize("key", ["losses", "my_losses", "regularization_losses"])
def test_collections_of_the_program_alone_are_lists(key: str) -> None:
    text = after(program(key, PLAIN.replace("'losses'", f"'{key}'")))
    assert "tf.add_n(" in text
    assert "get_collection" not in text


LOOKED = """\
import tensorflow as tf


def net(x):
    outs = {}
    current = x
    for name in ["a", "b"]:
        if name == "b":
            current = tf.nn.relu(current)
        outs[name] = current
    return outs


image = tf.Variable(tf.ones([1, 8]))
loss = tf.reduce_mean(net(image)["b"])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(loss))
"""


def test_a_helper_goes_on_with_a_variable_or_what_came_of_it() -> None:
    assert "outs[name] = current" in after(LOOKED)


UNREAD = """\
import numpy as np
import tensorflow as tf


def weight(shape, regularizer):
    w = tf.get_variable("w", shape, initializer=tf.ones_initializer())
    if regularizer != None:
        tf.add_to_collection("penalties", regularizer(w))
    return w


def net(x, regularizer):
    with tf.variable_scope("first"):
        return tf.matmul(x, weight([2, 1], regularizer))


x = tf.placeholder(tf.float32, [None, 2])
y = net(x, tf.contrib.layers.l2_regularizer(0.5))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: np.ones([1, 2])}))
"""


def test_what_is_computed_for_a_collection_that_nothing_reads_goes() -> None:
    text = after(UNREAD)
    assert '    w = tf.Variable(tf.ones(shape), name="first/w")\n    return w\n' in text
    assert "penalties" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.contrib.layers.l2_regularizer(0.5)", "print"),  # it would do something
        ("regularizer(w)", "weight([2, 1], None)"),
        ("y = net(", "others = list(map(net, []))\ny = net("),
    ],
)
def test_what_may_do_more_than_compute_keeps_the_session(old: str, new: str) -> None:
    assert stopped(UNREAD.replace(old, new, 1))
