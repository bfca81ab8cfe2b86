"""`--to keras`: `checkpoint_path` of `evaluate` and `predict`."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = '''import numpy as np
import tensorflow as tf

x = np.random.RandomState(0).rand(32, 4).astype(np.float32)


def model_fn(features, labels, mode):
    """A model."""
    outputs = tf.layers.dense(features["x"], 1, name="outputs")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"outputs": outputs})
    loss = tf.reduce_mean(tf.square(outputs))
    train_op = None
    if mode == tf.estimator.ModeKeys.TRAIN:
        optimizer = tf.train.AdamOptimizer(0.1)
        train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    """Batches."""
    return tf.data.Dataset.from_tensor_slices({"x": tf.constant(x)}).batch(8)


def main(path):
    """Train, and look at a checkpoint."""
    estimator = tf.estimator.Estimator(model_fn, model_dir="model")
    estimator.train(input_fn, steps=4)
    print(estimator.evaluate(input_fn, name="one", checkpoint_path=path)["loss"])
    for each in estimator.predict(input_fn, checkpoint_path=path):
        print(each["outputs"])


main("model/model.ckpt-0")
'''


def upgraded(text: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"main.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left)
    return result.level, (result.after or b"").decode(), reasons


def test_a_checkpoint_that_is_not_the_latest() -> None:
    level, new, reasons = upgraded(PROGRAM)
    assert level is Level.NATIVE, reasons
    assert 'estimator.evaluate(input_fn(), name="one", checkpoint=path, ' in new
    assert "estimator.predict(input_fn(), checkpoint=path, verbose=0)" in new
    assert "latest = checkpoint or tf.train.latest_checkpoint(self.folder)" in new
    assert new.count("self.restore(dataset, checkpoint)") == 2


def test_no_checkpoint_is_the_latest_one() -> None:
    level, new, reasons = upgraded(PROGRAM.replace("checkpoint_path=path", "checkpoint_path=None"))
    assert level is Level.NATIVE, reasons
    assert "checkpoint=" not in new


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (', model_dir="model"', "", "`checkpoint_path` of a model without a `model_dir`"),
        (
            "    loss = tf.reduce_mean(tf.square(outputs))\n",
            "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
            "        outputs = tf.layers.dense(outputs, 1)\n"
            "    loss = tf.reduce_mean(tf.square(outputs))\n",
            "",
        ),
    ],
)
def test_what_stays(old: str, new: str, reason: str) -> None:
    assert old in PROGRAM
    level, _, reasons = upgraded(PROGRAM.replace(old, new))
    assert level is Level.COMPAT
    assert reason in reasons


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("estimator.latest_checkpoint()", "tf.train.latest_checkpoint(estimator.folder)"),
        ("estimator.model_dir + '/best'", "estimator.folder + '/best'"),
    ],
)
def test_a_checkpoint_that_the_model_says_itself(path: str, said: str) -> None:
    (found,) = texts(
        {"program.py": PROGRAM.replace("checkpoint_path=path", f"checkpoint_path={path}").encode()},
        Options(to="keras"),
    )
    assert found.level is Level.NATIVE
    assert (found.after or b"").decode().count(f"checkpoint={said}") == 2
