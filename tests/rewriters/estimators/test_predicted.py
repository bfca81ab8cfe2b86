"""`--to keras`: whether predictions that a function of the program returns are a dict."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = '''import numpy as np
import tensorflow as tf

x = np.random.RandomState(0).rand(8, 4).astype(np.float32)


def scored(logits, more):
    """What the model says."""
    scores = tf.nn.softmax(logits)
    return tf.reduce_mean(tf.square(logits)), scores


def model_fn(features, labels, mode):
    """A model."""
    logits = tf.layers.dense(features["x"], 2, name="logits")
    (loss, scores) = scored(logits, logits)
    if mode == tf.estimator.ModeKeys.TRAIN:
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode=mode, loss=loss, train_op=train_op)
    return tf.estimator.EstimatorSpec(mode=mode, loss=loss, predictions=scores)


def input_fn():
    """Batches."""
    return tf.data.Dataset.from_tensor_slices({"x": tf.constant(x)}).batch(4)


estimator = tf.estimator.Estimator(model_fn)
estimator.train(input_fn=input_fn, steps=2)
for each in estimator.predict(input_fn=input_fn):
    print(each)
'''


def upgraded(text: str) -> tuple[Level | None, str, str]:
    (result,) = texts({"main.py": text.encode()}, Options(to="keras"))
    reasons = " ".join(f.message for f in result.left)
    return result.level, (result.after or b"").decode(), reasons


def test_a_tensor_among_what_a_function_returns() -> None:
    level, new, reasons = upgraded(PROGRAM)
    assert level is Level.NATIVE, reasons
    assert "for each in estimator.predict(input_fn(), verbose=0):" in new


def test_a_dict_among_what_a_function_returns() -> None:
    text = PROGRAM.replace("    scores = tf.nn", '    scores = {"a": tf.nn')
    level, new, reasons = upgraded(text.replace("softmax(logits)\n", "softmax(logits)}\n"))
    assert level is Level.NATIVE, reasons
    assert "examples(estimator.predict(" in new


UNPACKED = "    (loss, scores) = scored(logits, logits)\n"
BRANCHES = """    if mode == "train" or len(x) > 9:
        (loss, scores) = scored(logits, logits)
    else:
        (loss, scores) = %s(logits, logits)
"""
OTHER = '''def decoded(logits, more):
    """What the model says otherwise."""
    loss, scores = scored(logits, more)
    scores, best = %s
    return loss, scores


def model_fn('''


def branched(other: str, given: str) -> str:
    text = PROGRAM.replace(UNPACKED, BRANCHES % other)
    return text.replace("def model_fn(", OTHER % given)


def test_a_tensor_that_branches_and_functions_in_functions_give() -> None:
    level, new, reasons = upgraded(branched("decoded", "tf.nn.top_k(scores, 1)"))
    assert level is Level.NATIVE, reasons
    assert "for each in estimator.predict(input_fn(), verbose=0):" in new


@pytest.mark.parametrize(
    ("other", "given"),
    [
        ("decoded", "{'a': scores}, scores"),
        ("decoded", "more, scores"),
        ("decoded", "unseen(scores)"),
        ("unseen", "tf.nn.top_k(scores, 1)"),
    ],
)
def test_what_only_some_branches_say_isnt_known(other: str, given: str) -> None:
    level, _, reasons = upgraded(branched(other, given))
    assert level is Level.COMPAT
    assert reasons


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("logits)), scores", "logits)), more"),
        ("    return tf.reduce", "    if more is None:\n        scores = {}\n    return tf.reduce"),
        ("    return tf.reduce", "    if more is None:\n        return more\n    return tf.reduce"),
        ("def scored", "@staged\ndef scored"),
    ],
)
def test_what_is_not_seen_stays(old: str, new: str) -> None:
    head = "def staged(function):\n    return function\n\n\ndef scored" if "staged" in new else ""
    text = PROGRAM.replace("def scored", head) if head else PROGRAM
    assert old in text
    level, _, reasons = upgraded(text.replace(old, new))
    assert level is Level.COMPAT
    assert reasons
