"""Static functions of a class as model_fns and input_fns. (fixtures/keras/class_functions runs.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, rate):
        self.estimator = None
        self.rate = rate

    @staticmethod
    def input_fn(epochs):
        x = np.ones((8, 2), 'f')
        return tf.data.Dataset.from_tensor_slices((x, x)).repeat(epochs).batch(4)

    @staticmethod
    def hidden(x, units=3):
        return tf.layers.dense(x, units)

    @staticmethod
    def model_fn(features, labels, mode, params):
        loss = tf.losses.mean_squared_error(labels, Net.hidden(features, 2))
        train_op = tf.train.AdamOptimizer(params).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

    def build(self):
        self.estimator = tf.estimator.Estimator(Net.model_fn, params=self.rate)

    def fit(self):
        self.estimator.train(lambda: self.input_fn(2))
        print(self.estimator.evaluate(lambda: Net.input_fn(1))['loss'])


net = Net(0.1)
net.build()
net.fit()
"""
UNDECORATED = PROGRAM.replace("    @staticmethod\n", "")


def upgraded(text: str) -> tuple[Level | None, str]:
    (result,) = texts({"a.py": text.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


def test_static_functions_stand_before_the_class() -> None:
    level, text = upgraded(PROGRAM)
    assert level is Level.NATIVE
    assert "\n\n\ndef input_fn(epochs):\n    x = np.ones((8, 2), 'f')\n" in text
    assert "staticmethod" not in text
    assert "self.estimator.fit(input_fn(2), verbose=0)" in text
    assert "self.hidden = Hidden(2)" in text
    assert text.index("class Model(") < text.index("class Net:")


def test_functions_without_a_decorator_that_the_class_has() -> None:
    level, text = upgraded(UNDECORATED.replace("self.input_fn(2)", "Net.input_fn(2)"))
    assert level is Level.NATIVE
    assert "class Net:\n    def __init__(self, rate):" in text


@pytest.mark.parametrize(
    "text",
    [
        UNDECORATED,  # an object's method, which is given the object
        PROGRAM.replace("\n\nnet =", "\n\nclass Other(Net):\n    pass\n\n\nnet ="),
        PROGRAM.replace("net.build()", "Net.hidden = print\nnet.build()"),
        PROGRAM.replace("net.build()", "net.build()\nprint(nets[0].model_fn)"),
        PROGRAM.replace("self.estimator = None", "self.estimator = rate"),
    ],
)
def test_what_may_be_another_function(text: str) -> None:
    level, _ = upgraded(text)
    assert level is not Level.NATIVE


def test_an_object_of_the_class_has_it_too() -> None:
    level, text = upgraded(PROGRAM.replace("net.build()", "net.build()\nprint(net.input_fn(1))"))
    assert level is Level.NATIVE
    assert "\nprint(input_fn(1))\n" in text


def test_a_name_that_the_file_has() -> None:
    level, text = upgraded(PROGRAM.replace("\n\nclass Net", "\n\nhidden = 3\n\n\nclass Net"))
    assert level is Level.NATIVE
    assert "self.net_hidden = NetHidden(2)" in text
