"""Types of variables: a model of float64 where it has nothing else, float32 by NumPy's name."""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import PROGRAM, after, stopped

LAYER = "logits = tf.layers.dense(features['x'], 3)"
WEIGHT = (
    "w = tf.get_variable('w', [2, 3], dtype=tf.float64)\n"
    "    logits = tf.matmul(tf.cast(features['x'], tf.float64), w)"
)


def test_a_model_of_variables_of_float64_is_of_that_type() -> None:
    new = after(PROGRAM.replace(LAYER, WEIGHT))
    assert 'super().__init__(dtype="float64")' in new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LAYER, f"{WEIGHT} + tf.layers.dense(features['x'], 3)"),
        (LAYER, f"{WEIGHT} * tf.get_variable('s', [3])"),
        (LAYER, WEIGHT.replace("float64)\n", "float16)\n")),
        ("model_fn, params={}", "model_fn, 'folder', params={}"),
    ],
)
def test_a_model_of_several_types_stays(old: str, new: str) -> None:
    stopped(PROGRAM.replace(old, new).replace(LAYER, WEIGHT))


def test_float32_by_the_name_of_numpy() -> None:
    begins = "w = tf.Variable(np.ones([2, 3]), dtype=np.float32)\n"
    weights = f"{begins}    s = tf.get_variable('s', [3], dtype=np.float32)\n"
    new = after(PROGRAM.replace(LAYER, f"{weights}    logits = tf.matmul(features['x'], w * s)"))
    assert 'tf.keras.Variable(np.ones([2, 3]), dtype="float32")' in new
    stopped(PROGRAM.replace(LAYER, f"{begins.replace('32', '16')}    {LAYER} * w"))
