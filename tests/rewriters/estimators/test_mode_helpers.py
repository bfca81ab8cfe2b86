"""`--to keras`: functions that are given the mode. (Numbers: fixtures/keras/mode_helpers.)"""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

LOSS = """    loss = None
    if mode == tf.estimator.ModeKeys.PREDICT:
        return loss
    loss = tf.losses.sparse_softmax_cross_entropy(labels, outputs)
    return loss
"""
TRAIN = """    if mode != tf.estimator.ModeKeys.TRAIN:
        return None
    rate = params['rate']
    optimizer = tf.train.GradientDescentOptimizer(rate)
    return optimizer.minimize(loss, tf.train.get_global_step())
"""
METRICS = """    if mode in (tf.estimator.ModeKeys.TRAIN, tf.estimator.ModeKeys.EVAL):
        return {'accuracy': tf.metrics.accuracy(labels, classes)}
    else:
        return None
"""
PROGRAM = f"""import numpy as np
import tensorflow as tf


def get_loss(outputs, labels, mode):
{LOSS}

def get_metrics(classes, labels, mode):
{METRICS}

def get_train_op(loss, params, mode):
{TRAIN}

def model_fn(features, labels, mode, params):
    outputs = tf.layers.dense(features, 3)
    classes = tf.argmax(outputs, 1)
    loss = get_loss(outputs, labels, mode)
    train_op = get_train_op(loss, params, mode)
    metrics = get_metrics(classes, labels, mode)
    return tf.estimator.EstimatorSpec(
        mode, predictions={{'classes': classes}}, loss=loss, train_op=train_op,
        eval_metric_ops=metrics)


def input_fn():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


net = tf.estimator.Estimator(model_fn, params={{'rate': 0.1}})
net.train(input_fn, steps=3)
print(net.evaluate(input_fn), list(net.predict(input_fn)))
"""


def test_functions_of_the_mode_stand_where_they_are_called() -> None:
    text = after(PROGRAM)
    for gone in ("get_loss", "get_train_op", "get_metrics", "ModeKeys", " mode,"):
        assert gone not in text
    assert text.count("sparse_categorical_crossentropy") == 2
    assert "        rate = params['rate']\n" in text
    assert "self.compile(optimizer=tf.keras.optimizers.SGD(rate)" in text
    assert "        return {'classes': classes}\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LOSS, LOSS.replace("        return loss\n", "        return None\n", 1)),
        (LOSS, f"    if mode == tf.estimator.ModeKeys.PREDICT:\n        return\n{LOSS}"),
        (TRAIN, TRAIN.replace("    rate", "    # how fast\n    rate")),
        (METRICS, METRICS.replace("    else:\n        return None", "    return None")),
    ],
)
def test_ways_to_leave_early(old: str, new: str) -> None:
    text = after(PROGRAM.replace(old, new))
    assert text.count("sparse_categorical_crossentropy") == 2
    assert "accuracy" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (TRAIN, TRAIN.replace("    return opt", "    for _ in 'a':\n        return opt")),
        ("print(net", "print(get_train_op.__name__, net"),
    ],
)
def test_functions_that_stay(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "`get_train_op`" in stopped(PROGRAM.replace(old, new))[1]


BRANCH = """    train_op = None
    if mode == tf.estimator.ModeKeys.TRAIN:
        rate = params['rate']
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
"""


def test_what_a_branch_of_training_makes_an_optimizer_of() -> None:
    call = "    train_op = get_train_op(loss, params, mode)\n"
    text = after(PROGRAM.replace(call, BRANCH).replace(TRAIN, "    pass\n"))
    assert "        rate = params['rate']\n" in text
    both = BRANCH.replace("    train_op = None\n", "    train_op, rate = None, 1.0\n")
    text = after(PROGRAM.replace(call, both).replace(TRAIN, "    pass\n"))
    assert "        rate = params['rate']\n" in text
    assert "SGD(rate)" in text


def test_a_layer_of_another_value_in_each_mode() -> None:
    branch = "    rate = 0.0\n    if mode == tf.estimator.ModeKeys.TRAIN:\n        rate = 0.5\n"
    layer = "    outputs = tf.layers.dropout(outputs, rate, training=True)\n"
    classes = "    classes ="
    text = after(PROGRAM.replace(classes, f"{branch}{layer}{classes}"))
    assert "            if training:\n                rate = 0.5\n" in text
    assert "switched_dropout(outputs, rate, training=True)" in text


@pytest.mark.parametrize(
    ("given", "follows"),
    [
        ("labels, outputs, from_logits=True", True),
        ("labels, tf.nn.softmax(outputs)", False),
        ("labels, outputs, from_logits=params['logits']", False),
    ],
)
def test_cross_entropies_of_keras(given: str, follows: bool) -> None:
    old = "tf.losses.sparse_softmax_cross_entropy(labels, outputs)"
    new = f"tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy({given}))"
    text = PROGRAM.replace(old, new)
    if follows:
        assert after(text).count(new) == 2
    else:
        assert "sparse_categorical_crossentropy in a model_fn" in stopped(text)[1]
