"""Initializers of `tf.keras.initializers`, by Keras's defaults in 1.15.5; short names for them."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 3], initializer=tf.keras.initializers.{made})
y = tf.layers.dense(tf.matmul(x, w), 2, kernel_initializer=tf.keras.initializers.{made})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1.0, 2.0]]}}))
"""


@pytest.mark.parametrize(
    ("made", "kernel", "variable"),
    [
        ("random_normal()", "RandomNormal()", ""),
        ("RandomNormal(stddev=0.1)", "RandomNormal(stddev=0.1)", ""),
        ("truncated_normal()", "TruncatedNormal()", ""),
        ("uniform()", "RandomUniform(minval=-0.05, maxval=0.05)", ""),
        ("glorot_normal()", "GlorotNormal()", ""),
        ("he_uniform(seed=3)", "HeUniform(seed=3)", ""),
        ("Zeros()", "Zeros()", "tf.zeros([2, 3])"),
        ("Constant(0.5)", "Constant(0.5)", "tf.constant(0.5, shape=[2, 3])"),
    ],
)
def test_keras_has_defaults_of_its_own(made: str, kernel: str, variable: str) -> None:
    text = after(PROGRAM.format(made=made))
    assert f"kernel_initializer=tf.keras.initializers.{kernel}" in text
    assert f"tf.Variable({variable or f'tf.keras.initializers.{kernel}([2, 3])'}, name=" in text


def test_what_tf1_lacks_keeps_the_session() -> None:
    assert stopped(PROGRAM.format(made="deserialize('zeros')"))


METHOD = """\
import tensorflow as tf


class Net:
    def __init__(self, n):
        init = {name}
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = tf.get_variable("w", [2, n], initializer=init())
        self.y = tf.layers.dense(tf.matmul(self.x, self.w), 2, kernel_initializer={use})


net = Net(3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net.y, {{net.x: [[1.0, 2.0]]}}))
"""


@pytest.mark.parametrize(
    "name", ["tf.contrib.layers.xavier_initializer", "tf.keras.initializers.glorot_uniform"]
)
def test_a_short_name_of_a_method(name: str) -> None:
    text = after(METHOD.format(name=name, use="init()"))
    assert "init =" not in text
    assert "kernel_initializer=tf.keras.initializers.GlorotUniform()" in text


def test_a_short_name_that_means_something_else_later() -> None:
    text = METHOD.format(name="tf.contrib.layers.xavier_initializer", use="init()")
    assert stopped(
        text.replace("        self.y =", "        init = tf.zeros_initializer\n        self.y =")
    )


MODEL_FN = """\
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [2, 1], initializer=tf.keras.initializers.random_normal())
    out = tf.matmul(features["x"], w)
    loss = tf.losses.mean_squared_error(labels, out)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = {"x": np.ones((8, 2), np.float32)}, np.ones((8, 1), np.float32)
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


estimator = tf.estimator.Estimator(model_fn, "m")
estimator.train(input_fn)
"""


def test_an_estimators_weights_draw_as_narrowly() -> None:
    (result,) = texts({"program.py": MODEL_FN.encode()}, Options(to="keras"))
    assert result.after is not None, [f.message for f in result.left]
    assert "initializer=tf.keras.initializers.RandomNormal()" in result.after.decode()
