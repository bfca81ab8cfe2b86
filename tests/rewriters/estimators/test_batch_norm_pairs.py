"""`--to keras`: batch normalizations that are made twice, train ops in branches, names of modes."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.estimators.test_training import upgraded

PAIR = """import numpy as np
import tensorflow as tf


def normalized(x, phase, scope):
    trained = tf.contrib.layers.batch_norm(
        x, decay=0.8, updates_collections=None, is_training=True, scope=scope)
    plain = tf.contrib.layers.batch_norm(
        x, decay=0.8, updates_collections=None, is_training=False, reuse=True, scope=scope)
    return tf.cond(phase, lambda: trained, lambda: plain)


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def model_fn(features, labels, mode):
    if mode == tf.estimator.ModeKeys.TRAIN:
        train_phase = True
    else:
        train_phase = False
    logits = tf.layers.dense(normalized(features['x'], train_phase, 'bn'), 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""
BRANCHES = """import numpy as np
import tensorflow as tf


def network(x, training, use_bn):
    net = tf.layers.dense(x, 4)
    if use_bn:
        net = tf.layers.batch_normalization(net, training=training)
    return tf.layers.dense(net, 3)


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


def model_fn(features, labels, mode, params):
    use_bn = params['use_bn']
    logits = network(features['x'], mode == tf.estimator.ModeKeys.TRAIN, use_bn)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    step = tf.train.get_global_step()
    if use_bn:
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train_op = optimizer.minimize(loss, step)
    else:
        train_op = optimizer.minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn, params={'use_bn': True})
net.train(input_fn, steps=3)
"""


def test_a_pair_has_a_switch() -> None:
    level, new, reasons = upgraded(PAIR)
    assert level is Level.NATIVE, reasons
    assert "class Normalized(tf.keras.layers.Layer)" in new
    assert "return self.batch_normalization(x, training=training)" in new
    assert "plain" not in new
    assert "train_phase" not in new


@pytest.mark.parametrize(
    ("old", "other"),
    [
        ("decay=0.8, updates_collections=None, is_training=False", "decay=0.9, is_training=False"),
        ("lambda: trained, lambda: plain", "lambda: trained, lambda: trained"),
        ("(phase, lambda: trained, lambda: plain", "(phase, lambda: plain, lambda: trained"),
        ("x, decay=0.8, updates_collections=None", "x, decay=0.8"),
        ("return tf.cond(phase,", "plain = plain * 2.\n    return tf.cond(phase,"),
    ],
)
def test_what_is_no_pair_keeps_its_estimator(old: str, other: str) -> None:
    assert PAIR.count(old)
    assert upgraded(PAIR.replace(old, other))[0] is not Level.NATIVE


def test_a_train_op_in_two_branches() -> None:
    level, new, reasons = upgraded(BRANCHES)
    assert level is Level.NATIVE, reasons
    assert "if use_bn else" not in new
    assert "control_dependencies" not in new
    assert new.count("apply_gradients") == 1


@pytest.mark.parametrize(
    ("old", "other"),
    [
        ("    if use_bn:\n        net =", "    if True:\n        net ="),
        ("TRAIN, use_bn)", "TRAIN, True)"),
        (
            "else:\n        train_op = optimizer.minimize(loss",
            "else:\n        train_op = optimizer.minimize(2. * loss",
        ),
        ("    if use_bn:\n        with", "    if not use_bn:\n        with"),
    ],
)
def test_branches_that_differ_keep_their_estimator(old: str, other: str) -> None:
    assert BRANCHES.count(old) == 1
    assert upgraded(BRANCHES.replace(old, other))[0] is not Level.NATIVE
