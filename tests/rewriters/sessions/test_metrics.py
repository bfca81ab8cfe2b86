"""Streaming metrics that a scope's local variables reset."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

labels = tf.placeholder(tf.int32, [None])
found = tf.placeholder(tf.int32, [None])
with tf.{scope}('m'):
    accuracy, update = tf.metrics.accuracy(labels, found)
reset = tf.variables_initializer({variables})
seen = []
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for epoch in range(2):
        sess.run(reset)
        for batch in range(3):
            sess.run(update, {{labels: [0, 1, 1], found: [batch % 2, 1, epoch]}})
        seen.append(sess.run(accuracy))
"""
LISTED = [
    "[v for v in tf.local_variables() if v.name.startswith('m/')]",
    "tf.local_variables('m/')",
    "tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES, scope='m/')",
    "tf.local_variables()",
]


@pytest.mark.parametrize("scope", ["name_scope", "variable_scope"])
@pytest.mark.parametrize("variables", LISTED)
def test_local_variables_of_a_scope(scope: str, variables: str) -> None:
    text = after(PROGRAM.format(scope=scope, variables=variables))
    assert "accuracy.reset_state()" in text
    known: dict[str, Any] = {}
    exec(text, known)
    seen = [round(float(value), 5) for value in known["seen"]]
    assert seen == [0.55556, 0.88889]  # TF 1.15.5's


@pytest.mark.parametrize(
    "variables",
    [
        "[v for v in tf.local_variables() if v.name.startswith('n/')]",
        "[v for v in tf.local_variables() if 'm/' not in v.name]",
    ],
)
def test_local_variables_that_are_others(variables: str) -> None:
    assert stopped(PROGRAM.format(scope="name_scope", variables=variables))


CAST = """\
import tensorflow as tf

labels = tf.placeholder(tf.int32, [None])
x = tf.placeholder(tf.float32, [None])
number = tf.placeholder(tf.int32, [None])
prob = tf.sigmoid(x)
kept = tf.cast(prob > 0.5, tf.int64)
value, update = tf.metrics.{}
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    feed = {{labels: [0, 1, 1], x: [-1.0, 2.0, 0.5], number: [0, 1, 0]}}
    sess.run(update, feed)
    result = sess.run(value)
"""


@pytest.mark.parametrize(
    ("metric", "said", "result"),
    [
        ("accuracy(labels, prob)", "value(labels, tf.cast(prob, labels.dtype))", 0.33333),
        ("precision(labels, prob)", "value(labels, tf.cast(prob, tf.bool))", 0.66667),
        ("recall(labels, x)", "value(labels, tf.cast(x, tf.bool))", 1.0),
        ("accuracy(labels, tf.round(prob))", "value(labels, tf.round(prob))", 1.0),
        ("recall(labels, kept)", "value(labels, kept)", 1.0),
        ("accuracy(labels, number)", "value(labels, number)", 0.66667),
    ],
)
def test_what_is_not_whole_is_cast(metric: str, said: str, result: float) -> None:
    text = after(CAST.format(metric))
    assert said in text
    known: dict[str, Any] = {}
    exec(text, known)
    assert round(float(known["result"]), 5) == result  # TF 1.15.5's


ERRORS = """\
import tensorflow as tf

goal = tf.placeholder(tf.float32, {goal})
found = tf.placeholder(tf.float32, {found})
error, update = tf.metrics.{metric}(goal, found)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    sess.run(update, {{goal: {first[0]}, found: {first[1]}}})
    sess.run(update, {{goal: {second[0]}, found: {second[1]}}})
    result = sess.run(error)
"""
FLAT = {"first": ([1, 2, 3], [1, 3, 5]), "second": ([0], [4])}
ROWS = {"first": ([[1], [2], [3]], [[1], [3], [5]]), "second": ([[0]], [[4]])}


@pytest.mark.parametrize(
    ("metric", "result"),
    [
        ("mean_squared_error", 5.25),
        ("mean_absolute_error", 1.75),
        ("root_mean_squared_error", 2.29129),
    ],
)
def test_errors_are_the_mean_of_all_numbers(metric: str, result: float) -> None:
    """Not of batches, as Keras has it for vectors."""
    flat = after(ERRORS.format(metric=metric, goal="[None]", found="[None]", **FLAT))
    assert "error(tf.reshape(goal, [-1, 1]), tf.reshape(found, [-1, 1]))" in flat
    rows = after(ERRORS.format(metric=metric, goal="[None, 1]", found="[None, 1]", **ROWS))
    assert "error(goal, found)" in rows
    for text in (flat, rows):
        known: dict[str, Any] = {}
        exec(text, known)
        assert round(float(known["result"]), 5) == result  # TF 1.15.5's


def test_a_metric_of_constants() -> None:
    text = after(
        "import tensorflow as tf\n"
        "labels = tf.constant([1, 2, 3])\n"
        "update = tf.metrics.accuracy(labels=labels, predictions=tf.constant([1, 2, 0]))[1]\n"
        "with tf.Session() as sess:\n"
        "    sess.run(tf.local_variables_initializer())\n"
        "    print(sess.run(update))\n"
    )
    assert "update = tf.keras.metrics.Accuracy()\n" in text


KEPT = """\
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
found = tf.placeholder(tf.int64, [None])
accuracy, update = METRIC
KEPT
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    sess.run(update, {labels: [0, 1, 1], found: [1, 1, 1]})
    seen = sess.run(values)
"""
ACCURACY = "tf.metrics.accuracy(labels, found)"


@pytest.mark.parametrize(
    "kept",
    [
        "values = [accuracy]",
        "values = {'accuracy': accuracy}",
        "values = dict(accuracy=accuracy)",
        "values = []\nvalues.append(accuracy)",
        "values = {}\nvalues['accuracy'] = accuracy",
    ],
)
def test_values_that_are_put_away_keep_the_session(kept: str) -> None:
    # They were what they are before anything ran: 0.
    assert "kept before it is asked for" in stopped(
        KEPT.replace("METRIC", ACCURACY).replace("KEPT", kept)
    )


@pytest.mark.parametrize(
    ("metric", "made", "value"),
    [
        ("tf.metrics.accuracy(labels, found, [1.0, 0.0, 3.0])", "Accuracy()", 0.75),
        ("tf.metrics.mean_iou(labels, found, 2)", "MeanIoU(num_classes=2)", 0.33333),
        ("tf.contrib.metrics.streaming_false_positives(found, labels)", "FalsePositives()", 1.0),
        ("tf.contrib.slim.metrics.streaming_accuracy(found, labels)", "Accuracy()", 0.66667),
    ],
)
def test_weights_counts_and_twins(metric: str, made: str, value: float) -> None:
    text = after(KEPT.replace("METRIC", metric).replace("KEPT", "values = accuracy"))
    assert made in text
    known: dict[str, Any] = {}
    exec(text, known)
    assert round(float(known["seen"]), 5) == value  # TF 1.15.5's


@pytest.mark.parametrize(
    "metric",
    [
        "tf.metrics.recall_at_thresholds(labels, tf.to_float(found), [0.5])",
        "tf.metrics.auc(labels, tf.to_float(found), curve=named)",
        "tf.metrics.precision_at_k(labels, tf.one_hot(found, 3), 2, class_id=1)",
    ],
)
def test_what_keras_says_otherwise(metric: str) -> None:
    program = KEPT.replace("METRIC", metric).replace("KEPT", "values = accuracy")
    assert stopped(program.replace("labels =", "named = 'PR'\nlabels =", 1))
