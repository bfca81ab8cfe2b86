"""Sequential models that a model_fn makes: of a list, or filled by `add`."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def model_fn(features, labels, mode):
    x = features['x']
{body}
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    return tf.data.Dataset.from_tensor_slices(({{'x': x}}, x)).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn)
"""


def upgraded(body: str) -> tuple[Level | None, str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (result,) = texts({"a.py": PROGRAM.format(body=lines).encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("tf.keras.layers.Dense(3, input_shape=(3,))", "tf.keras.layers.Dense(3)"),
        ("tf.keras.layers.Dense(input_shape=(3,), units=3)", "tf.keras.layers.Dense(units=3)"),
        (
            "tf.keras.layers.Dense(3, input_dim=3, activation='relu')",
            "tf.keras.layers.Dense(3, activation='relu')",
        ),
        ("layers.Dense(units=3, input_dim=3, name='d')", "layers.Dense(units=3, name='d')"),
        ("tf.keras.layers.Flatten(input_shape=(3,))", "tf.keras.layers.Flatten()"),
    ],
)
def test_what_a_layer_says_of_its_input_goes(made: str, written: str) -> None:
    last = "tf.keras.layers.Dense(3)"
    level, after = upgraded(f"net = tf.keras.Sequential([{made}, {last}])\nout = net(x)")
    assert level is Level.NATIVE
    assert f"tf.keras.Sequential([{written}, {last}])" in after


def test_a_name() -> None:
    level, after = upgraded("net = tf.keras.Sequential([layers.Dense(3)], name='n')\nout = net(x)")
    assert level is Level.NATIVE
    assert "tf.keras.Sequential([layers.Dense(3)], name='n')" in after


def test_layers_that_are_added_are_a_list() -> None:
    level, after = upgraded(
        "net = tf.keras.models.Sequential()\nnet.add(tf.keras.layers.Dense(4))\n"
        "net.add(tf.keras.layers.Dense(3))\nout = net(x)"
    )
    assert level is Level.NATIVE
    assert ".add(" not in after
    assert "Sequential([ tf.keras.layers.Dense(4), tf.keras.layers.Dense(3), ])" in after


@pytest.mark.parametrize(
    "body",
    [
        # Not all that is added is seen, or it is added where something else may have happened.
        "net = tf.keras.Sequential()\nfor n in (4, 3):\n    net.add(tf.keras.layers.Dense(n))\n"
        "out = net(x)",
        "net = tf.keras.Sequential()\nnet.add(tf.keras.layers.Dense(4))\nout = net(x)\n"
        "net.add(tf.keras.layers.Dense(3))",
        "net = tf.keras.Sequential()\nnet.add(tf.keras.layers.Dense(4))\n"
        "if mode == 'train':\n    net.add(tf.keras.layers.Dense(3))\nout = net(x)",
        # Averages that nothing updates, and layers that Keras 3 makes otherwise.
        "net = tf.keras.Sequential([tf.keras.layers.BatchNormalization()])\nout = net(x)",
        "net = tf.keras.Sequential([tf.keras.layers.Dense(3, dtype='float64')])\nout = net(x)",
        "net = tf.keras.Sequential([tf.keras.layers.Dense(x.shape[1])])\nout = net(x)",
        "net = tf.keras.Sequential([tf.keras.layers.Dense(3)], name=mode)\nout = net(x)",
        "net = tf.keras.Sequential([tf.keras.layers.Dense(3)])\nout = net(x)\nnet.summary()",
        "out = tf.keras.Sequential([tf.keras.layers.Dense(3)]).predict(x)",
    ],
)
def test_what_is_not_seen_stays(body: str) -> None:
    assert upgraded(body)[0] is Level.COMPAT


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("l2(0.1)", "L2(0.1)"),
        ("l2(l=0.1)", "L2(0.1)"),
        ("l1()", "L1(0.01)"),
        ("l1_l2(l2=0.3)", "L1L2(l1=0.01, l2=0.3)"),
        ("L1L2(l1=0.3)", "L1L2(l1=0.3, l2=0.0)"),
    ],
)
def test_regularizers_of_keras(said: str, written: str) -> None:
    body = f"out = tf.layers.dense(x, 3, kernel_regularizer=tf.keras.regularizers.{said})"
    level, after = upgraded(body)
    assert level is Level.NATIVE
    assert f"kernel_regularizer=tf.keras.regularizers.{written})" in after


def test_a_layer_of_keras_with_a_regularizer_stays() -> None:
    # TF 1.15.5 keeps its penalty out of the collection that `get_regularization_loss` sums.
    body = "out = tf.keras.layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(0.1))(x)"
    assert upgraded(body)[0] is Level.COMPAT


@pytest.mark.parametrize(
    ("said", "level"), [(", input_shape=(3,)", Level.COMPAT), ("", Level.NATIVE)]
)
def test_a_function_that_is_called_elsewhere_too(said: str, level: Level) -> None:
    # What is called there may be asked for its weights at once.
    function = f"def build():\n    return tf.keras.Sequential([tf.keras.layers.Dense(3{said})])\n"
    source = PROGRAM.format(body="    out = build()(x)\n").replace(
        "def input_fn", function + "\n\ndef input_fn"
    )
    source += "other = build()\n"
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    assert result.level is level
