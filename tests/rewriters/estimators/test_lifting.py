"""`--to keras`: model_fns that are methods, Estimators in attributes, layers in inner functions."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """import numpy as np
import tensorflow as tf


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


"""
REST = """        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
"""
CLASS = f"""class Net:
    def __init__(self, units):
        self.units = units
        self.net = tf.estimator.Estimator(self.model_fn)

    def model_fn(self, features, labels, mode):
        logits = tf.layers.dense(features['x'], self.units)
{REST}
    def train(self):
        self.net.train(input_fn, steps=3)


net = Net(3)
net.train()
print(net.net.evaluate(input_fn)['loss'])
"""
INNER = f"""def model_fn(features, labels, mode):
    units = 4
    def tower(net):
        return tf.layers.dense(net, units)
    logits = tower(features['x'])
{REST.replace("        ", "    ")}

net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return HEAD + text.replace(old, new)


def upgraded(text: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left if f.rule == "TFM520")
    return result.level, (result.after or b"").decode(), reasons


def test_a_method_is_a_class_that_is_given_the_attributes() -> None:
    level, new, reasons = upgraded(HEAD + CLASS)
    assert level is Level.NATIVE, reasons
    assert "    def __init__(self, units):\n        super().__init__()\n" in new
    assert "self.net = Model(self.units)" in new
    assert "self.net.fit(" in new
    assert "net.net.evaluate(" in new
    assert "functools" not in new


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD + CLASS + "net.units = 5\n", "the model_fn isn't seen"),
        (HEAD + CLASS + "class Other(Net):\n    pass\n", "the model_fn isn't seen"),
        (
            changed(CLASS, "        self.units = units\n", "").replace(
                "fn)\n", "fn)\n        self.units = units\n", 1
            ),
            "the model_fn isn't seen",
        ),
        (
            changed(CLASS, "    def model_fn", "    @tracked\n    def model_fn"),
            "model_fn isn't seen",
        ),
        (HEAD + CLASS + "net.net = None\n", "may be something else"),
        (HEAD + CLASS + "def f(thing):\n    thing.net.train(input_fn)\n", "isn't seen"),
        (HEAD + CLASS + "getattr(net, 'net').train(input_fn)\n", "can't be followed"),
    ],
)
def test_what_keeps_an_estimator_of_an_object(text: str, reason: str) -> None:
    level, _, reasons = upgraded(text)
    assert level is Level.COMPAT
    assert reason in reasons


OBJECT = (
    CLASS.partition("net = Net(3)")[0]
    .replace("def model_fn", "def __call__")
    .replace("        self.net = tf.estimator.Estimator(self.model_fn)\n", "")
    .partition("    def train(")[0]
    + """
model_fn = Net(3)
net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""
)


@pytest.mark.parametrize(
    ("old", "new", "level"),
    [
        ("", "", Level.NATIVE),
        ("net.train", "model_fn.units = 4\nnet.train", Level.COMPAT),
        ("def __call__", "@tracked\n    def __call__", Level.COMPAT),
        ("net.train", "print(model_fn.__call__)\nnet.train", Level.COMPAT),
    ],
)
def test_an_object_that_is_called_as_a_model_fn(old: str, new: str, level: Level) -> None:
    found, after, reasons = upgraded(HEAD + OBJECT.replace(old, new, 1) if old else HEAD + OBJECT)
    assert found is level, reasons
    if level is Level.NATIVE:
        assert "net = NetCall(units=model_fn.units)" in after or "NetCall(model_fn.units)" in after


def test_an_inner_function_is_given_what_it_reads_of_the_one_around_it() -> None:
    level, new, reasons = upgraded(HEAD + INNER)
    assert level is Level.NATIVE, reasons
    assert "class Tower(tf.keras.layers.Layer):\n    def __init__(self, units):" in new
    assert "self.tower = Tower(units)" in new


@pytest.mark.parametrize(
    "text",
    [
        changed(INNER, "def tower(net):\n", "def tower(net):\n        nonlocal units\n"),
        changed(INNER, "    def tower", "    @tracked\n    def tower"),
    ],
)
def test_inner_functions_that_stay_where_they_are(text: str) -> None:
    level, _, reasons = upgraded(text)
    assert level is Level.COMPAT
    assert reasons


def test_an_inner_function_that_is_no_layer_asks_by_name() -> None:
    called = ("logits = tower(features['x'])", "logits = list(map(tower, [features['x']]))")
    level, new, reasons = upgraded(changed(INNER, *called))
    assert level is Level.NATIVE, reasons
    assert "return named_dense(net, units)" in new
