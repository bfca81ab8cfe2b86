"""Layers of the program's own in a model_fn, and what is gathered of its graph: what stays."""

from __future__ import annotations

import pytest

from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf


class Scaled(tf.keras.layers.Layer):
    def __init__(self, units):
        super(Scaled, self).__init__()
        self.units = units
        self.dense = tf.keras.layers.Dense(units)

    def build(self, input_shape):
        self.scale = self.add_weight(name='scale', shape=[1], initializer='ones')

    def call(self, inputs):
        return self.dense(inputs) * self.scale


def model_fn(features, labels, mode):
    logits = Scaled(3)(features['x'])
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(({'x': [[1.0, 2.0]]}, [1])).repeat()


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""


def upgraded(text: str) -> tuple[str, list[str]]:
    """The text after `--to keras`, and why its Estimator stays."""
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    kept = [f.message for f in result.left if f.rule == "TFM520"]
    return (result.after or b"").decode(), kept


def test_a_class_stays_as_it_is() -> None:
    new, kept = upgraded(PROGRAM)
    assert kept == []
    assert "self.logits = Scaled(3)" in new
    assert "self.logits(features['x'])" in new
    assert new.startswith(PROGRAM.partition("def model_fn")[0])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("tf.keras.layers.Dense(units)", "tf.keras.layers.BatchNormalization()", "isn't followed"),
        ("tf.keras.layers.Dense(units)", "tf.keras.layers.Dropout(0.5)", "told whether it trains"),
        ("self.units = units", "self.losses = units", "which Keras has, too"),
        ("add_weight(name='scale', ", "add_weight('scale', ", "makes this weight"),
        ("initializer='ones'", "initializer=tf.ones_initializer()", "the initializer"),
        ("* self.scale", "* tf.get_variable('w', [1])", "get_variable"),
        ("    def call", "    @property\n    def more(self):\n        pass\n\n    def call",
         "`more`"),
        ("class Scaled(", "@str\nclass Scaled(", "decorator"),
        ("sparse_softmax_cross_entropy(labels, logits)",
         "sparse_softmax_cross_entropy(labels, logits) + tf.losses.get_regularization_loss()",
         "regularization losses"),
        ("    train_op",
         "    loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()"
         " if 'Scaled' not in v.name])\n    train_op", "`name` of a variable"),
        ("    train_op",
         "    loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()[1:]])\n"
         "    train_op", "aren't gone through"),
    ],
)  # fmt: skip
def test_what_may_mean_something_else_is_named(old: str, new: str, reason: str) -> None:
    assert PROGRAM.count(old) >= 1
    _, kept = upgraded(PROGRAM.replace(old, new, 1))
    assert len(kept) == 1
    assert reason in kept[0]


def test_variables_that_are_told_apart_by_what_layers_call_them() -> None:
    new, kept = upgraded(
        PROGRAM.replace(
            "    train_op",
            "    loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()"
            " if 'kernel' in v.name])\n    train_op",
            1,
        )
    )
    assert not kept
    assert "for v in self.trainable_variables if 'kernel' in v.name" in new


TWO = """\
import tensorflow as tf

flags = tf.flags.FLAGS


def model_fn(features, labels, mode, params):
    loss = tf.reduce_sum(tf.layers.dense(features['x'], 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    if params['tpu']:
        return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn(params):
    return tf.data.Dataset.from_tensors({'x': [[1.0, 2.0]]}).repeat()


def main(tpu):
    if tpu:
        net = tf.contrib.tpu.TPUEstimator(model_fn, train_batch_size=8, params={'tpu': tpu})
    else:
        net = tf.estimator.Estimator(model_fn, params={'tpu': tpu})
    net.train(input_fn, steps=3)


main(False)
"""


def test_a_branch_for_tpus_says_that_there_are_none() -> None:
    new, kept = upgraded(TWO)
    assert kept == []
    assert "    if tpu:\n        raise NotImplementedError(" in new
    assert "TPUEstimator" not in new


def test_other_branches_that_return_are_no_specs() -> None:
    plain = "def size(n):\n    if n:\n        return 2\n    return n\n\n\ndef input_fn"
    _, kept = upgraded(TWO.replace("def input_fn", plain))
    assert kept == []


def test_a_branch_that_runs_without_tpus_stays() -> None:
    # use_tpu=False: 1.15.5 runs both branches on a CPU.
    _, kept = upgraded(TWO.replace("train_batch_size=8", "use_tpu=False, train_batch_size=8"))
    assert len(kept) == 1
