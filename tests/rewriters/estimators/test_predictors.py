"""`--to keras`: contrib's predictors. (Numbers: fixtures/keras/predictor.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf
from tensorflow.contrib import predictor


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def dataset():
    return tf.data.Dataset.from_tensor_slices((np.ones((8, 2), 'f'), np.zeros(8, 'i'))).batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(dataset, steps=3)
"""


def upgraded(more: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"program.py": (PROGRAM + more).encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    "more",
    [
        "ask = predictor.from_saved_model('saved', 'predict')\nprint(ask({'x': [[1., 2.]]}))\n",
        "print(tf.contrib.predictor.from_saved_model(export_dir='saved')({'x': [[1., 2.]]}))\n",
    ],
)
def test_a_predictor_is_a_function_of_the_file(more: str) -> None:
    level, after, said = upgraded(more)
    assert level is Level.NATIVE, said
    assert "\ndef from_saved_model(export_dir, signature_def_key=" in after
    assert "contrib" not in after


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("ask = predictor.from_saved_model('saved')\nprint(ask.feed_tensors)\n", "something else"),
        ("ask = predictor.from_saved_model('saved')\nprint(map(ask, []))\n", "something else"),
        ("asks = [predictor.from_saved_model('saved')]\n", "has no name"),
        ("ask = predictor.from_saved_model('saved', tags='serve')\n", "`tags` of a predictor"),
        ("from_saved_model = 1\nask = predictor.from_saved_model('a')\n", "already"),
        ("print(type(net) is dict)\n", "given to something that isn't seen"),
        ("kind = type(net)\n", "given to something that isn't seen"),
    ],
)  # fmt: skip
def test_what_stays(more: str, why: str) -> None:
    level, _, said = upgraded(more)
    assert level is Level.COMPAT
    assert why in said


def test_what_is_only_shown_of_an_estimator() -> None:
    level, after, said = upgraded("print('{}'.format(type(net)))\nprint(type(net))\n")
    assert level is Level.NATIVE, said
    assert after.endswith("print('{}'.format(type(net)))\nprint(type(net))\n")
