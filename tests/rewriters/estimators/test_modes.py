"""`--to keras`: what the modes of a model_fn compute by themselves. (Numbers: keras/two_modes.)"""

from __future__ import annotations

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import numpy as np
import tensorflow as tf


def model_fn(features, labels, mode):
FIRST
    logits = tf.layers.dense(x, 2)
THEN
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'p': probs})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits) + tf.reduce_mean(probs)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss)
    if mode == tf.estimator.ModeKeys.TRAIN:
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors(({'x': np.ones((4, 2), 'f')}, [0, 1, 0, 1]))


net = tf.estimator.Estimator(model_fn)
net.train(input_fn)
"""
EVALUATED = PROGRAM[PROGRAM.index("    if mode == tf.estimator.ModeKeys.EVAL:") :].splitlines()[:2]
PREDICTED = PROGRAM[PROGRAM.index("    if mode == tf.estimator.ModeKeys.PRED") :].splitlines()[:2]
X = "x = features['x']"


def program(first: str, then: str = "", without: tuple[str, ...] = ()) -> str:
    """The program with these lines, where `if NAME:` is a test on the mode, without some modes."""
    text = PROGRAM.replace("FIRST", first).replace("THEN", f"{then}\n    probs = logits * 2")
    for name in ("TRAIN", "EVAL", "PREDICT"):
        text = text.replace(f"if {name}:", f"if mode == tf.estimator.ModeKeys.{name}:")
    if "EVAL" in without:
        text = text.replace("\n".join(EVALUATED), "")
    if "PREDICT" in without:
        text = text.replace("\n".join(PREDICTED), "")
    return text


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (f"    {X}\n    if PREDICT:\n        x = x * 3.", ""),
        (f"    {X}\n    if TRAIN:\n        x = x * 2.\n    if EVAL:\n        x = x * 3.", ""),
        (f"    k = 1.\n    if PREDICT:\n        k = 3.\n    {X} * k", ""),
        (
            f"    if TRAIN:\n        {X} * 2.\n    if EVAL:\n        {X} * 3.\n"
            f"    if PREDICT:\n        {X}",
            "",
        ),
        (f"    {X}", "    if PREDICT:\n        logits = logits * 3."),
        (f"    {X}\n    if EVAL:\n        x, y = x * 3., 1\n    x = x + 1.", ""),
    ],
)
def test_evaluation_and_prediction_that_differ_keep_the_estimator(first: str, then: str) -> None:
    assert (
        "evaluation and prediction compute something else here" in stopped(program(first, then))[1]
    )


@pytest.mark.parametrize(
    ("mode", "without", "test"),
    [
        ("PREDICT", "EVAL", "not training"),
        ("EVAL", "PREDICT", "not training"),
        ("TRAIN", "EVAL", "training"),
        ("TRAIN", "PREDICT", "training"),
    ],
)
def test_two_modes_are_told_apart_by_whether_it_trains(mode: str, without: str, test: str) -> None:
    first = f"    {X}\n    if {mode}:\n        x = x * 3."
    text = after(program(first, without=(without,)))
    assert f"        if {test}:\n            x = x * 3.\n" in text


def test_what_a_mode_computes_behind_what_all_do_is_its_own() -> None:
    text = after(program(f"    {X}").replace("{'p': probs}", "{'p': probs * 3.}"))
    assert '        return {"p": probs * 3.}' in text.replace("'p'", '"p"')


SHOWS = "tf.summary.image('seen', tf.reshape(x, [1, 2, 4, 1]))"


def test_summaries_of_images_leave_a_branch_of_training() -> None:
    first = f"    {X}\n    if TRAIN:\n        x = x * 3.\n        {SHOWS}"
    text = after(program(first))
    assert "        if training:\n            x = x * 3.\n" in text
    assert "summary" not in text
    other = f"    {X}\n    if TRAIN:\n        x = x * 3.\n    else:\n        {SHOWS}"
    stopped(program(other))  # nothing would be left of that branch


def test_scalars_that_a_branch_of_training_writes_are_not_lost() -> None:
    first = f"    {X}\n    if TRAIN:\n        x = x * 3.\n        tf.summary.scalar('a', x[0, 0])"
    stopped(program(first).replace("Estimator(model_fn)", "Estimator(model_fn, 'folder')"))


BRANCHED = """import numpy as np
import tensorflow as tf


def net(x, kept, training):
    hidden = tf.layers.dense(x, 4)
    hidden = tf.layers.dropout(hidden, kept, training=training)
    return tf.layers.dense(hidden, 2)


def model_fn(features, labels, mode):
    if mode == tf.estimator.ModeKeys.TRAIN:
        logits = net(features['x'], TRAINED)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(
            loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    OTHERS
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={'p': logits})
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return tf.estimator.EstimatorSpec(mode, loss=loss)


def input_fn():
    return tf.data.Dataset.from_tensors(({'x': np.ones((4, 2), 'f')}, [0, 1, 0, 1]))


model = tf.estimator.Estimator(model_fn, 'folder')
model.train(input_fn)
"""


def branched(trained: str, others: str) -> str:
    """A model_fn whose training and other modes call a net by themselves."""
    return BRANCHED.replace("TRAINED", trained).replace("OTHERS", others)


@pytest.mark.parametrize(
    ("trained", "others", "called"),
    [
        ("0.5, True", "logits = net(features['x'], 0.5, False)", "training=training"),
        (
            "0.5, training=True",
            "logits = net(features['x'], 0.5, training=False)",
            "training=training",
        ),
        ("0.3, True", "logits = net(features['x'], 0.0, True)", "0.3 if training else 0.0"),
    ],
)
def test_what_stands_behind_the_branch_of_training_is_its_forward_pass(
    trained: str, others: str, called: str
) -> None:
    text = after(branched(trained, others))
    assert called in text[text.index("def call(self, features") :]


@pytest.mark.parametrize(
    ("trained", "others"),
    [
        ("0.5, True", "logits = net(features['x'] * 2., 0.5, False)"),
        ("0.5, True", "logits = net(features['x'], 0.0, False)"),
        ("0.5, True", "logits = net(features['x'], 0.2, True)"),
        ("0.5, False", "logits = net(features['x'], 0.5, True)"),
    ],
)
def test_other_forward_passes_keep_the_estimator(trained: str, others: str) -> None:
    stopped(branched(trained, others))


NAMED = """
def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features['x'], 3)
    if mode == tf.estimator.ModeKeys.TRAIN:
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        spec = tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    elif mode == tf.estimator.ModeKeys.EVAL:
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        spec = tf.estimator.EstimatorSpec(mode, loss=loss)
    return spec
"""


def test_a_spec_under_a_name_that_a_mode_does_not_bind() -> None:
    head, _, rest = PROGRAM.partition("\ndef model_fn")
    new = after(head + NAMED + "\n\ndef input_fn" + rest.partition("def input_fn")[2])
    assert "def train_step" in new
    assert "def test_step" in new
    assert "def predict_step" not in new


def test_one_that_is_bound_above_a_branch_that_returns_it() -> None:
    first = "    spec = tf.estimator.EstimatorSpec(mode, predictions={'a': logits})\n"
    first += "    if mode == tf.estimator.ModeKeys.PREDICT:\n        return spec\n"
    line = "    if mode == tf.estimator.ModeKeys.TRAIN:\n"
    head, _, rest = PROGRAM.partition("\ndef model_fn")
    text = head + NAMED.replace(line, first + line)
    new = after(text + "\n\ndef input_fn" + rest.partition("def input_fn")[2])
    assert "return {'a': logits}" in new
