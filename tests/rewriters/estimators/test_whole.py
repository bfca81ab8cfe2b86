"""Predictions that may not be whole numbers: TF 1's metrics cast them before they look."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

CODE = """\
import numpy as np
import tensorflow as tf


def data():
    given = np.ones([8, 2], 'float32'), np.ones(8, int)
    return tf.data.Dataset.from_tensor_slices(given).batch(4)


def kinds(logits):
    return tf.cast(tf.argmax(logits, 1), tf.int32)


def chosen(found):
    return found


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features, 2)
    probs = tf.nn.softmax(logits)
    predictions = {'p': probs[:, 1], 'kind': tf.argmax(logits, 1), 'round': tf.round(probs[:, 1])}
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={
        'm': tf.metrics.%s})


net = tf.estimator.Estimator(model_fn, params={'w': 1.0})
net.train(data)
print(net.evaluate(data))
"""


def upgrade(metric: str) -> FileResult:
    (result,) = texts({"program.py": (CODE % metric).encode()}, Options(to="keras"))
    return result


def taken(metric: str) -> str:
    result = upgrade(metric)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    lines = result.after.decode().splitlines()
    (line,) = [s.strip() for s in lines if "self.m_metric.update" in s or "self.m.update" in s]
    return line.partition("update_state")[2]


@pytest.mark.parametrize(
    ("metric", "new"),
    [
        ("accuracy(labels, probs[:, 1])", "(labels, tf.cast(probs[:, 1], labels.dtype))"),
        (
            "accuracy(labels, predictions['p'])",
            "(labels, tf.cast(predictions['p'], labels.dtype))",
        ),
        (
            "accuracy(labels * 2, logits[:, 0])",
            "(labels * 2, tf.cast(logits[:, 0], (labels * 2).dtype))",
        ),
        ("precision(labels, probs[:, 1])", "(labels, tf.cast(probs[:, 1], tf.bool))"),
        ("recall(labels, predictions['p'])", "(labels, tf.cast(predictions['p'], tf.bool))"),
        ("true_positives(labels, tf.sign(logits))", "(labels, tf.cast(tf.sign(logits), tf.bool))"),
        ("recall(labels, chosen(logits))", "(labels, tf.cast(chosen(logits), tf.bool))"),
    ],
)  # fmt: skip
def test_others_are_cast(metric: str, new: str) -> None:
    assert taken(metric) == new


@pytest.mark.parametrize(
    ("metric", "new"),
    [
        ("accuracy(labels, tf.argmax(logits, 1))", "(labels, tf.argmax(logits, 1))"),
        ("accuracy(labels, tf.sign(logits[:, 0]))", "(labels, tf.sign(logits[:, 0]))"),
        ("accuracy(labels, predictions['kind'])", "(labels, predictions['kind'])"),
        ("precision(labels, predictions['kind'])", "(labels, predictions['kind'])"),
        ("precision(labels, tf.round(probs)[:, 1])", "(labels, tf.round(probs)[:, 1])"),
        ("recall(labels, probs[:, 1] > 0.5)", "(labels, probs[:, 1] > 0.5)"),
        ("accuracy(labels, kinds(logits))", "(labels, kinds(logits))"),
        ("auc(labels, probs[:, 1])", "(labels, probs[:, 1])"),
        (
            "accuracy(labels, tf.nn.top_k(logits).indices[:, 0])",
            "(labels, tf.nn.top_k(logits).indices[:, 0])",
        ),
        ("mean(probs, weights=2.0)", "(probs)"),
    ],
)
def test_what_is_whole_is_taken_as_it_is(metric: str, new: str) -> None:
    assert taken(metric) == new


@pytest.mark.parametrize("weights", ["0.0", "params['w']", "tf.reduce_sum(probs)"])
def test_a_weight_that_is_one_number_stays(weights: str) -> None:
    result = upgrade(f"mean(probs, weights={weights})")
    assert result.level is Level.COMPAT
    assert any("weight" in f.message for f in result.left)
