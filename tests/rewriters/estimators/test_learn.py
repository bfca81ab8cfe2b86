"""`--to keras`: Estimators of `tf.contrib.learn`."""

from __future__ import annotations

import json

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn

data = np.ones((8, 2), 'f'), np.zeros((8, 1), 'f')


def model(X, y, mode):
    value = tf.layers.dense(X, 1)[:, 0]
    loss = tf.losses.mean_squared_error(y, value)
    train_op = tf.contrib.layers.optimize_loss(
        loss, tf.train.get_global_step(), optimizer='SGD', learning_rate=0.1)
    return value, loss, train_op


net = learn.Estimator(model_fn=model)
net.fit(data[0], data[1], steps=4, batch_size=3)
for value in net.predict(data[0]):
    print(value)
"""


def upgraded(*changes: tuple[str, str]) -> tuple[Level | None, str, str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left if f.rule == "TFM520")
    return result.level, (result.after or b"").decode(), reasons


def test_arrays_and_a_tuple() -> None:
    level, new, reasons = upgraded()
    assert level is Level.NATIVE, reasons
    assert "net.fit(batches(data[0], data[1], size=3, shuffle=True).take(4), verbose=0)" in new
    assert "net.predict(batches(data[0]), verbose=0)" in new
    assert "learn" not in new.replace("contrib.learn took", "")


def test_a_wrapper_has_batches_of_its_own_size() -> None:
    level, new, reasons = upgraded(
        ("= learn.Estimator(model_fn=model)", "= learn.SKCompat(learn.Estimator(model))"),
        (
            "for value in net.predict(data[0]):\n    print(value)",
            "print(net.score(*data, steps=1))",
        ),
        ("net.score(*data", "net.score(data[0], data[1]"),
    )
    assert level is Level.NATIVE, reasons
    assert "net.evaluate(batches(data[0], data[1], size=128).take(1)," in new


def test_the_words_of_tf_estimator_come_first() -> None:
    spec = "learn.ModelFnOps(mode, {'value': value}, loss, train_op)"
    level, new, reasons = upgraded(
        ("value, loss, train_op\n", spec + "\n"),
        ("(X, y, mode)", "(features, target, mode)"),
        ("(X, 1)", "(features, 1)"),
        ("r(y, v", "r(target, v"),
    )
    assert level is Level.NATIVE, reasons
    assert "for value in examples(net.predict(batches(data[0]), verbose=0)):" in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("net.fit(data[0], data[1]", "net.fit(*data", "arguments are hidden"),
        ("batch_size=3)", "monitors=[learn.monitors.StopAtStep(3)])", "no Keras callback"),
        (
            "net.predict(data[0])",
            "net.predict(input_fn=lambda: data)",
            "an input_fn that isn't seen",
        ),
        ("net.predict(data[0])", "net.evaluate(data[0], metrics={'a': 1})", "eval_metric_ops"),
        ("dense(X, 1)", "dense(X['x'], 1)", "arrays that a model is given in a dict"),
        ("X, y, mode)", "X, y, mode, model_dir)", "an argument `model_dir`"),
        (
            "for value in net.predict(data[0])",
            "for value in learn.Experiment(net, 1, 2)",
            "EvalSpec",
        ),
    ],
)
def test_what_keeps_the_estimator(old: str, new: str, reason: str) -> None:
    level, _, reasons = upgraded((old, new))
    assert level is not Level.NATIVE
    assert reason in reasons


def test_the_last_line_of_a_cell_goes() -> None:
    first, rest = PROGRAM.split("data = ", 1)
    first = first.replace("from tensorflow.contrib import learn\n\n", "learn = tf.contrib.learn")
    cells = [
        {"cell_type": "code", "source": text, "metadata": {}, "outputs": []}
        for text in (first, f"data = {rest}")
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 1}
    (result,) = texts({"program.ipynb": json.dumps(notebook).encode()}, Options(to="keras"))
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "tf.contrib" not in (result.after or b"").decode()


@pytest.mark.parametrize(
    ("old", "new", "followed"),
    [
        ("    loss = ", "    labels = tf.reshape(y, [-1])\n    loss = ", True),
        ("    loss = ", "    labels = tf.reshape(y, [-1])\n    loss = ", False),
    ],
)
def test_a_name_that_labels_have_in_the_end(old: str, new: str, followed: bool) -> None:
    told = [(old, new)]
    if followed:
        told.append(("_error(y, value)", "_error(labels, value)"))
    level, text, _ = upgraded(*told)
    assert (level is Level.NATIVE) is followed
    if followed:
        assert "labels = tf.reshape(labels, [-1])" in text
