"""`metrics` of contrib.learn's `evaluate`. (fixtures/keras/evaluated_metrics has the numbers.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn

X, Y = np.ones((8, 2), 'f'), np.zeros(8, 'i')


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features, 2)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    classes = PREDICTIONS
    return learn.ModelFnOps(mode, predictions=classes, loss=loss, train_op=train_op)


net = learn.Estimator(model_fn)
net.fit(X, Y, steps=3)
metrics = {'right': learn.MetricSpec(METRIC)}
print(net.evaluate(X, Y, metrics=metrics, steps=1))
"""
ALONE = ("tf.argmax(logits, 1)", "metric_fn=tf.metrics.accuracy")
KEYED = ("{'k': tf.argmax(logits, 1)}", "tf.metrics.accuracy, prediction_key='k'")


def upgraded(given: tuple[str, str], program: str = PROGRAM) -> tuple[Level | None, str, str]:
    text = program.replace("PREDICTIONS", given[0]).replace("METRIC", given[1])
    (result,) = texts({"a.py": text.encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize("given", [ALONE, KEYED])
def test_what_an_evaluation_asks_for(given: tuple[str, str]) -> None:
    level, text, left = upgraded(given)
    assert level is Level.NATIVE, left
    assert "MetricSpec" not in text
    assert "self.right.update_state(labels, classes" in text
    assert "net.evaluate(batches(X, Y).take(1), return_dict=True, verbose=0)" in text
    assert "\nmetrics" not in text


def test_a_dict_that_is_written_in_the_call() -> None:
    program = PROGRAM.replace("metrics = {'right': learn.MetricSpec(METRIC)}\n", "").replace(
        "metrics=metrics", "metrics={'right': learn.MetricSpec(METRIC)}"
    )
    level, text, left = upgraded(KEYED, program)
    assert level is Level.NATIVE, left
    assert "self.right.update_state(labels, classes['k'])" in text


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ((ALONE[0], KEYED[1]), ""),  # TF 1 raises
        ((KEYED[0], ALONE[1]), ""),  # the only one of a dict
        ((ALONE[0], "print"), ""),
        ((ALONE[0], f"{ALONE[1]}, weight_key='w'"), ""),
        (ALONE, "print(net.evaluate(X, Y))\n"),  # without them
        (ALONE, "print(metrics)\n"),
    ],
)
def test_what_keeps_the_estimator(given: tuple[str, str], more: str) -> None:
    level, _, _ = upgraded(given, PROGRAM + more)
    assert level is not Level.NATIVE
