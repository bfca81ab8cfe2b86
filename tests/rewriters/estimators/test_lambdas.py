"""`--to keras`: a model_fn that is a lambda around a function, or an object's method."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

RATE = .1


def input_fn():
    data = {'x': np.ones([8, 2], 'float32')}, np.ones(8, 'int32')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def my_model(features, labels, mode, rate, width=3):
    logits = tf.layers.dense(features['x'], width, name='logits')
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


model = tf.estimator.Estimator(MODEL_FN)
model.train(input_fn, steps=2)
"""
METHOD = """\
class Net(object):
    def __init__(self, rate):
        self.rate = rate

    def model_fn(self, features, labels, mode):
        logits = tf.layers.dense(features['x'], 3, name='logits')
        loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
        optimizer = tf.train.GradientDescentOptimizer(self.rate)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = Net(.1)
"""


def upgrade(code: str) -> FileResult:
    (result,) = texts({"program.py": code.encode()}, Options(to="keras"))
    return result


def after(code: str) -> str:
    result = upgrade(code)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("labels, mode, .1)", "MyModel(.1, 3)"),
        ("labels, mode, rate=RATE)", "MyModel(RATE, 3)"),
        ("labels=labels, mode=mode, rate=RATE, width=2)", "MyModel(RATE, 2)"),
    ],
)
def test_a_lambda_binds_what_it_gives_besides(given: str, made: str) -> None:
    lambda_ = f"lambda features, labels, mode: my_model(features=features, {given}"
    if not given.startswith("labels=labels"):
        lambda_ = lambda_.replace("features=features", "features")
    assert f"\nmodel = {made}\n" in after(PROGRAM.replace("MODEL_FN", lambda_))


@pytest.mark.parametrize(
    "body",
    [
        "my_model(features, labels, mode, np.random.rand())",  # another one for each graph
        "my_model(labels, features, mode, .1)",
        "my_model({'x': features['x']}, labels, mode, .1)",
        "my_model(features, labels, 'train', .1)",
    ],
)
def test_a_lambda_that_does_more_keeps_the_estimator(body: str) -> None:
    code = PROGRAM.replace("MODEL_FN", f"lambda features, labels, mode: {body}")
    assert upgrade(code).level is Level.COMPAT


def test_a_value_that_is_set_again_keeps_the_estimator() -> None:
    code = PROGRAM.replace(
        "MODEL_FN", "lambda features, labels, mode: my_model(features, labels, mode, RATE)"
    )
    assert upgrade(code.replace("model.train", "RATE = .2\nmodel.train")).level is Level.COMPAT


def test_a_method_of_an_object() -> None:
    start, rest = PROGRAM.partition("def my_model")[0], PROGRAM.partition("\n\n\nmodel = ")[2]
    code = f"{start}{METHOD}model = {rest}".replace("MODEL_FN", "net.model_fn")
    text = after(code)
    assert "net = Net(.1)\nmodel = Model(net.rate)\nmodel.fit(" in text
    assert "def model_fn" not in text
    changed = code.replace("net = Net(.1)\n", "net = Net(.1)\nnet.rate = .2\n")
    assert upgrade(changed).level is Level.COMPAT


def test_weights_of_batch_normalizations_by_name() -> None:
    code = PROGRAM.replace("MODEL_FN", "my_model").replace(", rate, width=3", "")
    code = code.replace("GradientDescentOptimizer(rate)", "GradientDescentOptimizer(RATE)")
    code = code.replace("features['x'], width", "x, 3").replace(
        "    logits =", "    x = tf.layers.batch_normalization(features['x'])\n    logits ="
    )
    decay = "[tf.nn.l2_loss(v) for v in tf.trainable_variables() if TEST]"
    code = code.replace("    train_op", f"    loss += tf.add_n({decay})\n    train_op")
    test = "'batch_normalization' not in v.name"
    assert "if 'batch_normalization' not in v.path])" in after(code.replace("TEST", test))
    named = code.replace(
        "def input_fn", "def batch_normalization_of():\n    pass\n\n\ndef input_fn"
    )
    assert upgrade(named.replace("TEST", test)).level is Level.COMPAT


def test_a_dropout_around_a_cell() -> None:
    code = PROGRAM.replace("MODEL_FN", "my_model").replace(", rate, width=3", "")
    code = code.replace("Optimizer(rate)", "Optimizer(RATE)").replace(
        "features['x'], width", "y.h, 3"
    )
    cell = """    keep = .5 if mode == tf.estimator.ModeKeys.TRAIN else 1.
    cell = tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.LSTMCell(5), output_keep_prob=keep)
    _, y = tf.nn.dynamic_rnn(cell, features['x'][:, None], dtype=tf.float32)
    logits ="""
    text = after(code.replace("    logits =", cell))
    assert "cell = DropoutWrapper(self.cell, output_keep_prob=" in text
    assert "y = dynamic_rnn(cell, " in text
    odd = cell.replace("output_keep", "state_keep")
    assert upgrade(code.replace("    logits =", odd)).level is Level.COMPAT
