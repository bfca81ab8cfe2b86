"""Iterators that are initialized with a graph's tables."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    out = tf.layers.dense(features, 3)
    loss = tf.losses.mean_squared_error(labels, out)
    train_op = tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    data = tf.data.Dataset.from_tensor_slices((x, x)).batch(4)
    iterator = data.make_initializable_iterator()
    tf.add_to_collection({key}, {value})
{rest}


net = tf.estimator.Estimator(model_fn)
net.train(input_fn)
"""
KEY, VALUE = "tf.GraphKeys.TABLE_INITIALIZERS", "iterator.initializer"
REST = "return iterator.get_next()"


def upgraded(key: str = KEY, value: str = VALUE, rest: str = REST) -> tuple[Level | None, str]:
    lines = "\n".join(f"    {line}" for line in rest.splitlines())
    source = PROGRAM.format(key=key, value=value, rest=lines)
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize("rest", [REST, "x, y = iterator.get_next()\nreturn 2 * x, y"])
def test_a_dataset_begins_by_itself(rest: str) -> None:
    level, after = upgraded(rest=rest)
    assert level is Level.NATIVE
    assert "iterator" not in after


@pytest.mark.parametrize(
    "change",
    [
        {"key": "'mine'"},
        {"value": "data"},
        {"rest": "tf.add_to_collection('mine', iterator.initializer)\n" + REST},
        {"rest": "iterator = data.make_one_shot_iterator()\n" + REST},
    ],
)
def test_what_is_initialized_otherwise_stays(change: dict[str, str]) -> None:
    assert upgraded(**change)[0] is Level.COMPAT
