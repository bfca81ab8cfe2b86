"""`--to keras`: metrics that a function gives, and dicts of metrics in branches of settings."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import functools
import numpy as np
import tensorflow as tf


def input_fn(params=None):
    data = {'x': np.ones([8, 2], 'float32')}, np.ones(8, 'int32')
    return tf.data.Dataset.from_tensor_slices(data).batch(@SIZE@)


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], 3, name='logits')
    classes = tf.argmax(logits, 1)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    @EVAL@
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=@METRICS@)
    optimizer = tf.train.GradientDescentOptimizer(params['rate'])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


model = tf.estimator.Estimator(model_fn, params={'rate': .1})
model.train(input_fn, steps=2)
print(model.evaluate(input_fn))
"""
FUNCTION = """\
def metrics_of(labels, classes, n=3):
    acc = tf.metrics.accuracy(labels=labels, predictions=classes)
    return {'acc': acc}


"""
WITH = PROGRAM.replace("def model_fn", FUNCTION + "def model_fn")
BRANCHES = """\
if params['rate'] > .5:
        metrics = {'acc': tf.metrics.accuracy(labels, classes)}
    elif params['rate'] > .05 or params['rate'] < .01:
        metrics = {'acc': tf.metrics.accuracy(labels > 0, classes > 0)}
    else:
        metrics = {}"""


def upgrade(evaluates: str, metrics: str, program: str = PROGRAM) -> FileResult:
    code = program.replace("@EVAL@", evaluates).replace("@METRICS@", metrics).replace("@SIZE@", "4")
    (result,) = texts({"program.py": code.encode()}, Options(to="keras"))
    return result


def after(evaluates: str, metrics: str, program: str = PROGRAM) -> str:
    result = upgrade(evaluates, metrics, program)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


@pytest.mark.parametrize("named", [False, True])
def test_a_function_that_gives_metrics_is_written_in_place(named: bool) -> None:
    call = "metrics_of(labels, classes)"
    text = after(f"ops = {call}", "ops", WITH) if named else after("", call, WITH)
    assert "metrics_of" not in text
    assert "self.acc.update_state(labels, classes)\n" in text


def test_a_function_that_gives_something_else_keeps_the_estimator() -> None:
    program = WITH.replace("return {'acc': acc}", "return {'acc': acc, **{}}")
    assert upgrade("", "metrics_of(labels, classes)", program).level is Level.COMPAT


def test_dicts_in_branches_are_updated_in_branches() -> None:
    text = after(BRANCHES, "metrics")
    said = text.partition("def test_step")[2].partition("def ")[0]
    assert (
        "if self.params['rate'] > .5:\n            self.acc.update_state(labels, classes)" in said
    )
    assert "if not (self.params['rate'] > .5) and (self.params['rate'] > .05 or " in said
    assert "['acc'] = self.acc_metric.result()" in said


def test_branches_on_what_a_batch_gives_keep_the_estimator() -> None:
    branches = BRANCHES.replace("params['rate'] > .5", "loss > .5")
    assert upgrade(branches, "metrics").level is Level.COMPAT


def test_names_that_end_in_a_kernel() -> None:
    decay = "loss += tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if {}])"
    text = after(decay.format("v.name.endswith('kernel:0')"), "{}")
    assert "for v in self.trainable_variables if v.name.endswith('kernel')]" in text
    text = after(decay.format("not v.name.endswith('/bias:0')"), "{}")
    assert "for v in self.trainable_variables if not v.name == 'bias']" in text
    odd = decay.format("v.name.endswith('logits/kernel:0')")
    assert upgrade(odd, "{}").level is Level.COMPAT


def test_reduce() -> None:
    total = "loss = functools.reduce(lambda a, b: a + b, [loss, tf.reduce_mean(logits)])"
    assert "loss = functools.reduce(lambda a, b: a + b, [" in after(total, "{}")
    other = total.replace("lambda a, b: a + b", "input_fn")
    assert upgrade(other, "{}").level is Level.COMPAT


TPU = (
    PROGRAM.replace("tf.estimator.EstimatorSpec", "tf.contrib.tpu.TPUEstimatorSpec")
    .replace(", eval_metric_ops=@METRICS@", "")
    .replace("@SIZE@", "params['batch_size']")
    .replace("params={'rate': .1}", "tf.contrib.tpu.RunConfig(), params={'rate': .1}, @MORE@")
    .replace("Estimator(model_fn, tf", "Estimator(model_fn, config=tf")
    .replace("tf.estimator.Estimator", "tf.contrib.tpu.TPUEstimator")
)


def test_the_size_of_a_batch_in_the_params_of_a_model_fn() -> None:
    sizes = "use_tpu=False, train_batch_size=4, eval_batch_size=4"
    text = after("loss = loss / params['batch_size']", "", TPU.replace("@MORE@", sizes))
    assert "model = Model({'rate': .1, 'batch_size': 4})" in text
    assert "loss = loss / self.params['batch_size']" in text
    other = TPU.replace("@MORE@", sizes.replace("eval_batch_size=4", "eval_batch_size=2"))
    result = upgrade("loss = loss / params['batch_size']", "", other)
    assert result.level is Level.COMPAT
    assert any(
        "`batch_size` of a TPUEstimator's params in several" in f.message for f in result.left
    )


def test_the_mean_of_the_accuracies_of_classes() -> None:
    text = after("", "{'mean': tf.metrics.mean_per_class_accuracy(labels, classes, 3)}")
    assert "\nclass MeanPerClassAccuracy(tf.keras.metrics.Metric):\n" in text
    assert "self.mean = MeanPerClassAccuracy(num_classes=3)\n" in text
    assert "self.mean.update_state(labels, classes)\n" in text
