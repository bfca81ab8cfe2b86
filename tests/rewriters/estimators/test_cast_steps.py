"""Decays of a step that is cast, log losses of expressions, `shuffle_and_repeat`."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """
import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
    out = tf.sigmoid(tf.layers.dense(features['x'], 3))
    loss = {loss}
    step = tf.train.get_or_create_global_step()
    rate = tf.train.{rate}
    train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    x = np.ones((8, 3), 'f')
    data = tf.data.Dataset.from_tensor_slices(({{'x': x}}, x))
    return data{shuffled}.batch(4)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn)
"""
LOSS = "tf.losses.mean_squared_error(labels, out)"
DECAY = "exponential_decay(0.1, step, 10, 0.9)"


def upgraded(loss: str = LOSS, rate: str = DECAY, shuffled: str = "") -> tuple[Level | None, str]:
    source = PROGRAM.format(loss=loss, rate=rate, shuffled=shuffled)
    (result,) = texts({"a.py": source.encode()}, Options(to="keras"))
    return result.level, (result.after or b"").decode()


@pytest.mark.parametrize(
    "rate",
    [
        "piecewise_constant(step, [5], [.1, .2])",
        "piecewise_constant(tf.cast(step, tf.int32), [5], [.1, .2])",
        "piecewise_constant(x=tf.to_int32(step), boundaries=[5], values=[.1, .2])",
        "exponential_decay(0.1, tf.cast(step, tf.int64), 10, 0.9)",
    ],
)
def test_the_step_may_be_cast_to_another_whole_number(rate: str) -> None:
    level, after = upgraded(rate=rate)
    assert level is Level.NATIVE
    assert "global_step" not in after
    assert "cast(step" not in after


@pytest.mark.parametrize(
    "rate",
    [
        "piecewise_constant(tf.cast(step, tf.float32), [5.], [.1, .2])",
        "piecewise_constant(tf.cast(step * 2, tf.int32), [5], [.1, .2])",
        "exponential_decay(0.1, tf.cast(tf.constant(3), tf.int32), 10, 0.9)",
    ],
)
def test_what_is_another_number_stays(rate: str) -> None:
    assert upgraded(rate=rate)[0] is Level.COMPAT


@pytest.mark.parametrize(
    ("loss", "named"),
    [
        ("tf.losses.log_loss(labels, out)", []),
        ("tf.losses.log_loss(labels, out * 0.5)", ["out * 0.5"]),
        (
            "tf.losses.log_loss(1 - labels, 1 - out) + tf.losses.log_loss(labels, out * out)",
            ["1 - labels", "1 - out", "out * out"],
        ),
    ],
)
def test_what_a_log_loss_is_of_has_a_name(loss: str, named: list[str]) -> None:
    level, after = upgraded(loss=loss)
    assert level is Level.NATIVE
    for each in named:
        assert each in after
        assert f"log({each}" not in after


@pytest.mark.parametrize(
    "loss",
    [
        "(lambda p: tf.losses.log_loss(labels, p * 0.5))(out)",
        "sum([tf.losses.log_loss(labels, out * n) for n in (.5, .2)])",
    ],
)
def test_a_log_loss_that_is_computed_later_stays(loss: str) -> None:
    assert upgraded(loss=loss)[0] is Level.COMPAT


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("9", ".shuffle(9).repeat()"),
        ("9, 2", ".shuffle(9).repeat(2)"),
        ("buffer_size=9, count=None, seed=None", ".shuffle(9).repeat()"),
    ],
)
@pytest.mark.parametrize("home", ["contrib.data", "data.experimental"])
def test_shuffle_and_repeat(home: str, given: str, written: str) -> None:
    level, after = upgraded(shuffled=f".apply(tf.{home}.shuffle_and_repeat({given}))")
    assert level is Level.NATIVE
    assert f"return data{written}.batch(4)" in after


def test_shuffle_and_repeat_with_a_seed_stays() -> None:
    shuffled = ".apply(tf.contrib.data.shuffle_and_repeat(9, 2, seed=1))"
    assert upgraded(shuffled=shuffled)[0] is Level.COMPAT
