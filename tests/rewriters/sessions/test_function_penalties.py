"""Penalties of the variables that functions make: what a function gives says which they are."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def layer(x, n, scale, scope, reuse=None):
    with tf.variable_scope(scope, reuse=reuse):
        w = tf.get_variable("w", [3, n], regularizer=tf.contrib.layers.l2_regularizer(scale))
        b = tf.get_variable("b", [n])
    return tf.matmul(x, w) + b


x = tf.placeholder(tf.float32, [None, 3])
h = layer(x, 3, 0.1, "one")
y = layer(h, 2, 0.2, "two")
penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
loss = tf.reduce_mean(tf.square(y)) + tf.add_n(penalties)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {x: [[1.0, 2.0, 3.0]]})[0])
"""


def test_each_call_has_its_own() -> None:
    text = after(PROGRAM)
    assert "    apply.penalties = lambda: [tf.keras.regularizers.L2(0.5 * scale)(w)]\n" in text
    assert "penalties = [*h_layer.penalties(), *y_layer.penalties()]\n" in text


@pytest.mark.parametrize(
    ("old", "new", "gives"),
    [
        (
            "tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)",
            "tf.losses.get_regularization_losses()",
            "[*h_layer.penalties(), *y_layer.penalties()]",
        ),
        (
            "    return tf.matmul(x, w) + b",
            "        k = tf.get_variable('k', [n],\n"
            "            regularizer=tf.contrib.layers.l1_regularizer(0.5))\n"
            "    return (tf.matmul(x, w) + b) * k",
            "[tf.keras.regularizers.L2(0.5 * scale)(w), tf.keras.regularizers.L1(0.5)(k)]",
        ),
        (
            "        b = tf",
            "        if n > 2:\n            w = w * 0.5\n        b = tf",
            "L2(0.5 * scale)(w_variable)]",
        ),
    ],
)
def test_other_forms(old: str, new: str, gives: str) -> None:
    assert old in PROGRAM
    assert gives in after(PROGRAM.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # whether there is one is the call's to say
        ("def layer(x, n, scale, scope", "def layer(x, n, scale, scope, regularizer=None"),
        # its name means something else later
        ("    return tf", "    scale = 3.0\n    return scale * tf"),
        # layers beside variables
        ("    return tf.matmul(x, w) + b", "    return tf.layers.dense(tf.matmul(x, w), n) + b"),
        # another function calls it
        (
            'h = layer(x, 3, 0.1, "one")',
            "def net(x):\n    return layer(x, 3, 0.1, 'one')\n\n\nh = net(x)",
        ),
        # a loop does
        (
            'y = layer(h, 2, 0.2, "two")',
            "y = h\nfor i in range(2):\n    y = layer(y, 3, 0.2, 'l%d' % i)",
        ),
        # the scale is the module's, and changes
        ("l2_regularizer(scale))\n", "l2_regularizer(much))\n"),
        # it makes the variable in a branch
        (
            "        w = tf.get_variable",
            "        if n > 1:\n            k = tf.get_variable('k', [n], "
            "regularizer=tf.contrib.layers.l2_regularizer(0.1))\n            x = x * k\n"
            "        w = tf.get_variable",
        ),
    ],
)
def test_what_is_not_seen_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    program = PROGRAM.replace(old, new)
    if "regularizer=None" in new:
        program = program.replace("tf.contrib.layers.l2_regularizer(scale)", "regularizer")
    if "(much)" in new:
        program = program.replace("x = tf.pl", "much = 0.1\nx = tf.pl").replace(
            "loss =", "much = 9.0\nloss ="
        )
    assert stopped(program)


MODEL = b"""\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.get_variable("w", [2, 1])
        self.y = tf.matmul(self.x, self.w)

    def predict(self, sess, x):
        return sess.run(self.y, {self.x: x})
"""
UTIL = b"""\
def evaluate(model, rows, sess):
    return [float(model.predict(sess, [row])[0]) for row in rows]
"""
MAIN = b"""\
import tensorflow as tf

from model import Model
from util import *

model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(evaluate(model, [[1.0, 2.0]], sess))
"""


@pytest.mark.parametrize("util", [UTIL, b"import tensorflow as tf\n\n\n" + UTIL])
def test_a_file_that_only_hands_the_session_on_is_a_part_of_the_program(util: bytes) -> None:
    files = {"main.py": MAIN, "model.py": MODEL, "util.py": util}
    results = {r.path: r for r in texts(files, Options())}
    assert results["main.py"].level is Level.NATIVE
    after_util = results["util.py"].after
    assert after_util is not None
    assert b"def evaluate(model, rows):" in after_util
    assert b"model.predict([row])" in after_util


LISTED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable([[1.0], [2.0]])
y = tf.layers.dense(tf.matmul(x, w), 1)
l2 = tf.contrib.layers.l2_regularizer(0.5)
loss = tf.reduce_sum(y) + tf.contrib.layers.apply_regularization(l2, WEIGHTS)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: np.ones([1, 2])})
"""


def test_a_regularizer_is_applied_to_each_of_a_list() -> None:
    text = after(LISTED.replace("WEIGHTS", "tf.trainable_variables()"))
    assert "tf.add_n([l2(weight) for weight in [w, *y_layer.trainable_variables]])" in text


def test_a_regularizer_of_a_constant() -> None:
    text = after(
        LISTED.replace("tf.contrib.layers.apply_regularization(l2, WEIGHTS)", "l2(tf.ones([2]))")
    )
    assert "l2(tf.ones([2]))" in text


def test_a_list_whose_penalties_are_collected_too_keeps_the_session() -> None:
    asked = "tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))"
    text = LISTED.replace("WEIGHTS", "tf.trainable_variables()")
    assert stopped(text.replace("tf.reduce_sum(y) +", f"{asked} +"))


NESTED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])


def fc(inputs, n, m):
    w = tf.Variable(tf.ones([n, m]))
    return tf.matmul(inputs, w)


def net(inputs):
    h = fc(inputs, 2, 3)
    return LAST


out = net(x)
loss = tf.reduce_sum(out) + tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {x: np.ones([1, 2])})
"""


def test_the_variables_of_functions_that_a_function_calls_are_a_list() -> None:
    text = after(NESTED.replace("LAST", "fc(h, 3, 1)"))
    assert "    apply.variables = [*h_layer.variables, *fc_layer.variables]\n" in text
    assert "tf.add_n([tf.nn.l2_loss(v) for v in out_layer.variables])" in text


def test_layers_beside_the_variables_of_a_function_keep_the_session() -> None:
    message = "variables and layers that a function and those it calls make"
    assert message in stopped(NESTED.replace("LAST", "tf.layers.dense(h, 1)"))
