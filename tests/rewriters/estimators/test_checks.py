"""What a model_fn raises for its settings. (fixtures/keras/checked_settings is run.)"""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after

PROGRAM = """\
import numpy as np
import tensorflow as tf

LIMIT = 3


def model_fn(features, labels, mode, params):
    {check}
    out = tf.layers.dense(features, params['units'])
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    return tf.data.Dataset.from_tensor_slices((x, x)).batch(4)


net = tf.estimator.Estimator(model_fn, params={{'units': 3}})
net.train(input_fn)
"""


@pytest.mark.parametrize(
    "check",
    [
        "assert params['units'] > 0, 'none'",
        "if params['units'] > LIMIT:\n        raise ValueError('many')",
        "units = params['units']\n    assert units",
    ],
)
def test_settings_are_looked_at_when_the_model_is_made(check: str) -> None:
    text = after(PROGRAM.format(check=check))
    first = check.splitlines()[0]
    assert f"super().__init__()\n        {first}\n" in text


@pytest.mark.parametrize(
    "check",
    [
        "if mode == tf.estimator.ModeKeys.PREDICT:\n        raise ValueError('no')",
        "assert features.shape[1] == 3",
    ],
)
def test_what_else_is_looked_at_is_not_there(check: str) -> None:
    text = after(PROGRAM.format(check=check))
    made = text.partition("def __init__")[2].partition("def call")[0]
    assert "raise" not in made
    assert "assert" not in made
