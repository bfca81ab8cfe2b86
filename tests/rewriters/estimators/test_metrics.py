"""Metrics of labels and predictions: TF 1 takes a last axis of one away where ranks differ."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

CODE = """\
import numpy as np
import tensorflow as tf


def data():
    return tf.data.Dataset.from_tensor_slices((np.ones([8, 2], 'float32'), np.ones(8))).batch(4)


def model_fn(features, labels, mode):
    out = tf.layers.dense(features, 1)
    flat = tf.squeeze(out, 1)
    loss = tf.losses.mean_squared_error(labels, flat)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops={
        'far': tf.metrics.mean_absolute_error(%s)})


net = tf.estimator.Estimator(model_fn)
net.train(data)
print(net.evaluate(data))
"""


def upgrade(arguments: str) -> FileResult:
    (result,) = texts({"program.py": (CODE % arguments).encode()}, Options(to="keras"))
    return result


def after(arguments: str) -> str:
    result = upgrade(arguments)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_what_a_loss_is_of_has_one_shape() -> None:
    assert "self.far.update_state(tf.abs(flat - labels))" in after("labels, flat")


def test_what_may_differ_in_rank_is_one_row() -> None:
    text = after("labels, out")
    assert "tf.abs(tf.reshape(out, [-1]) - tf.reshape(labels, [-1]))" in text


def test_weights_beside_other_ranks_stay() -> None:
    result = upgrade("labels, out, weights=features[:, 0]")
    assert result.level is Level.COMPAT
    assert any("may differ in rank" in f.message for f in result.left)


RANKLESS = CODE.replace("tf.squeeze(out, 1)", "tf.squeeze(out)").replace(
    "mean_absolute_error(%s)", "root_mean_squared_error(labels, flat%s)"
)


def test_what_a_squeeze_without_an_axis_may_leave_is_one_row() -> None:
    (result,) = texts({"program.py": (RANKLESS % "").encode()}, Options(to="keras"))
    assert result.after is not None
    text = result.after.decode()
    assert "update_state(tf.reshape(labels, [-1]), tf.reshape(flat, [-1]))" in text
    (result,) = texts({"program.py": (RANKLESS % ", features[:, 0]").encode()}, Options(to="keras"))
    assert any("may differ in rank" in f.message for f in result.left)
