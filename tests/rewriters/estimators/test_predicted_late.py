"""`--to keras`: an Estimator predicts where its predictions are read."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import tensorflow as tf


def model_fn(features, labels, mode):
    value = tf.layers.dense(features, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions=value)
    loss = tf.losses.mean_squared_error(labels, value)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def rows():
    return tf.data.Dataset.from_tensors(([[1.]], [[2.]])).repeat(3)


net = tf.estimator.Estimator(model_fn)


def more():
    net.train(rows)


more()
found = net.predict(rows)
{between}
print(list(found))
"""


@pytest.mark.parametrize("between", ["more()", "net.train(rows, steps=1)", "if 1:\n    more()"])
def test_predictions_that_are_read_after_training_stay(between: str) -> None:
    reason = stopped(PROGRAM.format(between=between))[1]
    assert "predictions that are read after more training" in reason


@pytest.mark.parametrize(
    "between", ["net.evaluate(rows)", "found = list(found)\nmore()", "print(1)"]
)
def test_others_are_followed(between: str) -> None:
    assert "found = net.predict(rows(), verbose=0)" in after(PROGRAM.format(between=between))
