"""What a function that makes variables waits for: statements of the function that applies them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf
import tensorflow.contrib.layers as layers


def net(x):
    hidden = layers.fully_connected(x, 5, scope="hidden")
    out = layers.fully_connected(hidden, 2, activation_fn=None, scope="out")
"""
CHECK = """\
    check = tf.Assert(tf.reduce_all(out < 100), [out])
    with tf.control_dependencies([check]):
        out = tf.identity(out)
    return out


"""
TAIL = """\
x = tf.placeholder(tf.float32, [None, 4])
loss = tf.reduce_mean(tf.square(net(x)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: [[1.0, 2.0, 3.0, 4.0]]})
"""


def test_an_assertion_stands_before_what_waits_for_it() -> None:
    assert (
        "        out = out_layer(hidden)\n        tf.Assert(tf.reduce_all(out < 100), [out])\n"
        "        return tf.identity(out)\n"
    ) in after(HEAD + CHECK + TAIL)


def test_so_does_what_looks_at_tensors() -> None:
    look = CHECK.replace(
        "check = tf.Assert(tf.reduce_all(out < 100), [out])",
        "check = tf.py_func(lambda a: False, [out], tf.bool)",
    )
    assert "        check = tf.numpy_function(lambda a: False, [out], tf.bool)\n" in after(
        HEAD + look + TAIL
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return out\n", "    return hidden, out\n"),  # a run may ask for the first alone
        ("check = tf.Assert(tf.reduce_all(out < 100), [out])", "check = seen.assign_add(1.0)"),
    ],
)
def test_what_else_is_waited_for_keeps_the_session(old: str, new: str) -> None:
    source = HEAD + CHECK + TAIL.replace("net(x)", "net(x)[-1]" if "hidden" in new else "net(x)")
    stopped(source.replace("def net", "seen = tf.Variable(0.0)\n\n\ndef net").replace(old, new))
