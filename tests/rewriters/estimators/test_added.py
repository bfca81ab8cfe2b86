"""Metrics that are added to canned Estimators: what becomes of their functions, and what stays."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf


def input_fn():
    data = {'x': np.ones([8, 2], 'float32')}, np.ones(8)
    return tf.data.Dataset.from_tensor_slices(data).batch(4)


"""
FUNCTION = """\
def my_rmse(labels, predictions):
    # of all
    values = predictions['predictions']
    return {'rmse': tf.metrics.root_mean_squared_error(labels, values)}


"""
MADE = "model = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('x', 2)])\n"
ADDED = "model = tf.contrib.estimator.add_metrics(model, my_rmse)\n"
TAIL = "model.train(input_fn, steps=2)\nprint(model.evaluate(input_fn)['rmse'])\n"


def upgrade(code: str) -> FileResult:
    (result,) = texts({"program.py": (HEAD + code + TAIL).encode()}, Options(to="keras"))
    return result


def after(code: str) -> str:
    result = upgrade(code)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def test_a_function_of_metrics_becomes_a_layer_that_is_added() -> None:
    text = after(FUNCTION + MADE + ADDED)
    assert "\nmodel.add_metrics(MyRmse())\nmodel.fit(" in text
    assert text.partition("class MyRmse")[2].startswith(
        '''(tf.keras.layers.Layer):
    """Metrics that evaluations find besides."""

    def __init__(self):
        super().__init__()
        self.rmse = tf.keras.metrics.RootMeanSquaredError()

    def evaluate(self, features, labels, predictions):
        """Count a batch in; the metrics so far."""
        # of all
        values = predictions['predictions']
        self.rmse.update_state(labels, values)
        return {'rmse': self.rmse.result()}
'''
    )
    assert "found.update(metrics.evaluate(features, labels, self.head.predictions(logits)))" in text
    assert "my_rmse" not in text


def test_a_function_may_stand_between_and_have_its_name_again() -> None:
    once = MADE + FUNCTION + ADDED
    text = after(once + "model.train(input_fn, steps=2)\n\n\n" + once)
    assert text.count("class MyRmse(") == 2
    assert text.count(".add_metrics(MyRmse())") == 2


def test_labels_and_predictions_of_other_ranks_are_one_row() -> None:
    metric = "tf.metrics.mean_absolute_error(labels, predictions['predictions'])"
    text = after(
        FUNCTION.replace("tf.metrics.root_mean_squared_error(labels, values)", metric)
        + MADE
        + ADDED
    )
    assert "tf.reshape(labels, [-1])" in text


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (FUNCTION + MADE + "other = model\n" + ADDED, "what isn't a canned Estimator"),
        (FUNCTION.replace("labels,", "labels, config,") + MADE + ADDED, "an argument `config`"),
        (FUNCTION + MADE + ADDED + "print(my_rmse)\n", "used for more than an Estimator's metrics"),
        (
            FUNCTION.replace("root_mean_squared_error(labels", "mean_iou(labels") + MADE + ADDED,
            "may differ in rank",
        ),
    ],
)
def test_what_stays(code: str, why: str) -> None:
    result = upgrade(code)
    assert result.level is Level.COMPAT
    assert any(why in f.message for f in result.left)


def test_definitions_stand_above_what_uses_them() -> None:
    text = after(MADE + "import json\nprint(json.dumps([]), end='')\n")
    assert text.index("class NumericColumn") < text.index("model = ") < text.index("import json")


@pytest.mark.parametrize("place", ["estimator", "compat.v1.estimator", "contrib.estimator"])
def test_metrics_are_added_by_each_name(place: str) -> None:
    added = ADDED.replace("contrib.estimator", place)
    assert "\nmodel.add_metrics(MyRmse())\n" in after(FUNCTION + MADE + added)


FORWARDED = "model = tf.contrib.estimator.forward_features(model, 'x')\n"


def test_features_are_forwarded() -> None:
    text = after(FUNCTION + MADE + ADDED + FORWARDED)
    assert "\nmodel.add_metrics(MyRmse())\nmodel.forward_features('x')\n" in text
    assert text.index("def forward_features") < text.index("def predict_step")


@pytest.mark.parametrize(
    ("forwarded", "why"),
    [
        (FORWARDED.replace(", 'x'", ""), "all features beside predictions"),
        (FORWARDED.replace("'x'", "None"), "all features beside predictions"),
        (FORWARDED.replace("'x'", "'x', {}"), "`sparse_default_values` of forward_features"),
        (FORWARDED + FORWARDED, "features beside predictions that have some"),
        (FORWARDED + ADDED, "metrics of predictions that have features beside them"),
        (FORWARDED.replace("model =", "other ="), "features of the predictions of what isn't"),
    ],
)
def test_features_that_stay(forwarded: str, why: str) -> None:
    result = upgrade(FUNCTION + MADE + ADDED + forwarded)
    assert result.level is Level.COMPAT
    assert any(why in f.message for f in result.left), [f.message for f in result.left]
