"""`--to keras`: classes and functions that are no layers ask for their weights by name."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf


class Base(object):
    def __init__(self, width, training):
        self.width = width
        self.training = training

    def hidden(self, x):
        x = tf.layers.dense(x, self.width, name='hidden')
        return tf.layers.batch_normalization(x, training=self.training)


class Net(Base):
    def build(self, x):
        self.logits = tf.layers.dense(self.hidden(x), 3)
        return self.logits

    def loss(self, labels):
        return tf.losses.sparse_softmax_cross_entropy(labels, self.logits)


def model_fn(features, labels, mode):
    net = Net(4, mode == tf.estimator.ModeKeys.TRAIN)
    logits = net.build(features['x'])
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})
    loss = net.loss(labels)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    data = {'x': np.ones((8, 2), 'f')}, np.zeros(8, 'i')
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


model = tf.estimator.Estimator(model_fn)
model.train(input_fn, steps=3)
print(model.evaluate(input_fn)['loss'])
"""
BRANCHES = """
def model_fn(features, labels, mode):
    net = Net(4, mode == tf.estimator.ModeKeys.TRAIN)
    if mode == tf.estimator.ModeKeys.PREDICT:
        logits = net(features['x'], training=False)
        return tf.estimator.EstimatorSpec(mode, predictions={'logits': logits})
    if mode == tf.estimator.ModeKeys.TRAIN:
        optimizer = tf.train.AdamOptimizer(0.1)
        logits = net(features['x'], training=True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    if mode == tf.estimator.ModeKeys.EVAL:
        logits = net(features['x'], training=False)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        return tf.estimator.EstimatorSpec(mode, loss=loss)
"""
CALLED = """
    def __call__(self, x, training):
        return tf.layers.dense(tf.layers.dropout(x, 0.5, training=training), 3)

"""


def upgraded(text: str) -> tuple[Level | None, str]:
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


def changed(*changes: tuple[str, str]) -> str:
    text = PROGRAM
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def branched(old: str = "", new: str = "") -> str:
    start, end = PROGRAM.index("def model_fn"), PROGRAM.index("def input_fn")
    assert old in BRANCHES
    text = PROGRAM[:start] + BRANCHES.lstrip().replace(old, new, 1) + "\n\n" + PROGRAM[end:]
    text = text.replace("tf.layers.batch_normalization(x, training=self.training)", "x")
    return text.replace("    def build", CALLED.lstrip("\n") + "    def build")


def test_an_object_is_made_in_call_and_asked_in_steps() -> None:
    level, after = upgraded(PROGRAM)
    assert level is Level.NATIVE
    assert "compat.v1" not in after
    assert "        return net, logits\n" in after
    assert "net, logits = self(features, training=True)\n            loss = net.loss(" in after
    assert "x = named_dense(x, self.width, name='hidden')" in after
    assert "return named_batch_norm(x, training=self.training)" in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # A step asks for weights.
        ("return tf.losses", "return tf.layers.dense(self.logits, 1) + tf.losses"),
        # The object is another one by the time that `call` asks it.
        (
            "    net = Net(4, mode == tf.estimator.ModeKeys.TRAIN)\n    logits",
            "    net = Net(4, mode == tf.estimator.ModeKeys.TRAIN)\n"
            "    first = net.loss(labels)\n    logits",
        ),
        # Weights outside of a model.
        ("model.train", "print(Net(3, False).build(np.ones((1, 2), 'f')))\nmodel.train"),
        # No op runs the updates.
        ("tf.get_collection(tf.GraphKeys.UPDATE_OPS)", "[]"),
        ("name='hidden'", "name='hidden', kernel_initializer=np.ones"),
        ("name='hidden'", "name='hidden', activation='relu'"),
        ("class Base(object)", "class Base(dict)"),
        ("self.hidden(x)", "tf.contrib.layers.conv2d(x, 2, 1, normalizer_fn=None)"),
        ("self.hidden(x)", "tf.contrib.layers.fully_connected(x, 2, None, None)"),
        ("    def hidden", "    @tracked\n    def hidden"),
        ("self.hidden(x)", "tf.layers.conv3d(x, 2, 1)"),
        ("self.hidden(x)", "tf.Variable(tf.ones([2])) * x"),
        # It may be used again, and who moves its averages first isn't seen.
        (
            "        x = tf.layers.dense(x",
            "        with tf.variable_scope('a', reuse=tf.AUTO_REUSE):\n"
            "            x = tf.layers.dense(x",
        ),
    ],
)
def test_what_is_asked_otherwise_stays(old: str, new: str) -> None:
    level, _ = upgraded(changed((old, new)))
    assert level is Level.COMPAT


def test_only_training_asks_for_some_weights() -> None:
    old = "        self.logits = tf.layers.dense(self.hidden(x), 3)\n"
    aux = f"{old}        if self.training:\n            self.logits += tf.layers.dense(x, 3)\n"
    decay = "    loss = net.loss(labels)\n"
    summed = f"{decay}    loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])\n"
    level, after = upgraded(changed((old, aux), (decay, summed)))
    assert level is Level.NATIVE
    assert "for v in self.named.asked])" in after
    level, after = upgraded(changed((decay, summed)))
    assert level is Level.NATIVE
    assert "for v in self.trainable_variables])" in after


def test_a_forward_pass_in_each_branch_stands_before_them() -> None:
    level, after = upgraded(branched())
    assert level is Level.NATIVE
    assert after.count("net(features['x'], training=training)") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net(features['x'], training=False)", "net(features['y'], training=False)"),
        ("net(features['x'], training=False)", "net(features['x'], training=True)"),
        (
            "        logits = net(features['x'], training=False)\n",
            "        features = {'x': features['x'] * 2}\n"
            "        logits = net(features['x'], training=False)\n",
        ),
    ],
)
def test_forward_passes_that_differ_stay(old: str, new: str) -> None:
    level, _ = upgraded(branched(old, new))
    assert level is Level.COMPAT


def test_a_loss_of_a_helper_is_tf_2_s() -> None:
    text = changed(("net.loss(labels)", "total(labels, logits)")).replace(
        "def model_fn",
        "def total(labels, logits):\n"
        "    return tf.losses.sparse_softmax_cross_entropy(labels, logits)\n\n\ndef model_fn",
    )
    level, after = upgraded(text)
    assert level is Level.NATIVE
    assert "compat.v1" not in after
