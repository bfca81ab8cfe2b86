"""Graphs of Estimators: layers of Keras are numbered by graph, and drop other units in each step.

That names are those of 1.15.5 is seen by fixtures/estimator_shim/keras_layers.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

keras = pytest.importorskip("keras")

import tensorflow.compat.v1 as tf  # noqa: E402

from migrate.estimator_shim import _keras_graph  # noqa: E402

pytestmark = pytest.mark.tf2


def names() -> list[str]:
    return [v.op.name for v in tf.global_variables()]


def test_graphs_count_by_themselves() -> None:
    outside = keras.layers.Dense(1)
    for _ in range(2):
        with _keras_graph.new_graph():
            x: Any = tf.zeros([1, 2])
            for _ in range(2):
                x = keras.layers.Dense(2, use_bias=False)(x)
            assert names() == ["dense/kernel", "dense_1/kernel"]
    number = int(outside.name.rpartition("_")[2]) if "_" in outside.name else 0
    assert keras.layers.Dense(1).name == f"dense_{number + 1}"


@pytest.mark.parametrize("seed", [None, 3])
def test_other_units_are_dropped_in_each_step(seed: int | None) -> None:
    with _keras_graph.new_graph(), tf.Session() as session:
        tf.set_random_seed(1)
        masked = keras.layers.Dropout(0.5, seed=seed)(tf.ones([1, 64]), training=True)
        assert names() == []  # nothing for checkpoints that TF1 has not
        first, second = session.run(masked), session.run(masked)
        assert set(np.unique(first)) == {0, 2}
        assert (first != second).any()
