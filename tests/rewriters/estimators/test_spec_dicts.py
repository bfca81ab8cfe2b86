"""An EstimatorSpec that is given a dict, and what `train_and_evaluate` gives."""

from __future__ import annotations

import re

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf


def data():
    features = {'x': np.ones([8, 2], 'float32')}
    return tf.data.Dataset.from_tensor_slices((features, np.zeros(8, 'int64'))).batch(4)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 2)
    classes = tf.argmax(logits, -1)
"""
FILLED = """\
    spec = {'mode': mode, 'predictions': {'classes': classes}}
    if mode != tf.estimator.ModeKeys.PREDICT:
        spec['loss'] = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == tf.estimator.ModeKeys.TRAIN:
        spec['train_op'] = tf.train.AdamOptimizer(0.1).minimize(
            spec['loss'], tf.train.get_global_step())
    if mode == tf.estimator.ModeKeys.EVAL:
        spec['eval_metric_ops'] = {'hits': tf.metrics.accuracy(labels, classes)}
    return tf.estimator.EstimatorSpec(**spec)


net = tf.estimator.Estimator(model_fn, 'folder')
"""
RUN = """\
train_spec = tf.estimator.TrainSpec(data, max_steps=2)
eval_spec = tf.estimator.EvalSpec(data, steps=None)
"""
BOTH = "tf.estimator.train_and_evaluate(net, train_spec, eval_spec)"


def upgrade(code: str) -> FileResult:
    (result,) = texts({"program.py": (HEAD + code).encode()}, Options(to="keras"))
    return result


def after(code: str) -> str:
    result = upgrade(code)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_a_dict_of_a_specs_fields_is_gone() -> None:
    text = after(FILLED + "net.train(data, steps=2)\nprint(net.evaluate(data)['hits'])\n")
    assert "spec" not in text.partition("class Model(Checkpointed)")[2].replace("element_spec", "")
    assert "            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical" in text
    assert "self.hits.update_state(labels, classes)" in text


def test_an_early_stopping_stands_beside_exporters() -> None:
    code = RUN.replace(
        "steps=None", "steps=None, exporters=tf.estimator.LatestExporter('l', served)"
    )
    code = code.replace("max_steps=2", "max_steps=2, hooks=[early]")
    early = "early = tf.estimator.experimental.stop_if_no_decrease_hook(net, 'loss', 20)\n"
    served = """
def served():
    given = {'x': tf.placeholder(tf.float32, [None, 2])}
    return tf.estimator.export.ServingInputReceiver(given, given)


"""
    text = after(FILLED + served + early + code + BOTH + "\n")
    assert '        vars(self.model)["evaluations"] = {}  #' in text
    assert "self.model.evaluations[int(self.model.optimizer.iterations)] = found" in text


@pytest.mark.parametrize(
    "stmt",
    [
        "    spec.update(loss=tf.constant(1.0))\n",
        "    print(spec)\n",
        "    for key in ('loss',):\n        spec[key] = tf.constant(1.0)\n",
    ],
)
def test_a_dict_that_goes_elsewhere_stays(stmt: str) -> None:
    code = FILLED.replace("    return", stmt + "    return")
    assert upgrade(code + "net.train(data, steps=2)\n").level is Level.COMPAT


@pytest.mark.parametrize(
    ("stmt", "name"),
    [
        (f"found, _ = {BOTH}\n", "found"),
        (f"found, exported = {BOTH}\n", "found"),
        (f"found = {BOTH}[0]\n", "found"),
    ],
)
def test_what_the_last_evaluation_found_has_a_name(stmt: str, name: str) -> None:
    text = after(FILLED + RUN + stmt + "print(found['hits'])\n")
    new = f"{name} = {{**net.evaluate(data(), return_dict=True, verbose=0), 'global_step': int("
    assert new in text
    assert "exported" not in text


def test_what_it_exported_is_not_told() -> None:
    result = upgrade(FILLED + RUN + f"found, exported = {BOTH}\nprint(exported)\n")
    assert result.level is Level.COMPAT
    assert any("what train_and_evaluate() gives is used" in f.message for f in result.left)


def test_no_exporters_give_nothing() -> None:
    text = after(FILLED + RUN + f"found = {BOTH}\nprint(found[0]['hits'], found[1])\n")
    assert "'global_step': int(net.optimizer.iterations)}, []\n" in text


def test_what_exporters_gave_beside_what_was_found_keeps_the_estimator() -> None:
    exported = re.sub(r"(EvalSpec\(.*)\)\n", r"\1, exporters=EXPORTER)\n", RUN)
    assert exported != RUN
    exporter = (
        "tf.estimator.LatestExporter('best', tf.estimator.export."
        "build_raw_serving_input_receiver_fn({'x': tf.placeholder(tf.float32, [None, 2])}))"
    )
    program = FILLED + exported.replace("EXPORTER", exporter)
    result = upgrade(program + f"found = {BOTH}\nprint(found)\n")
    assert any("what train_and_evaluate() gives is used" in f.message for f in result.left)
