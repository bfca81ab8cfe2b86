"""`--to keras`: columns of sequences, by `sequence_input_layer` or a layer of Keras 2."""

from __future__ import annotations

import re

import pytest

from tests.rewriters.estimators.test_program import after, stopped

PROGRAM = """import numpy as np
import tensorflow as tf


def input_fn():
    data = {'w': tf.SparseTensor([[0, 0]], ['a'], [1, 2])}, np.zeros((1, 1), 'f')
    return tf.data.Dataset.from_tensors(data)


def model_fn(features, labels, mode):
    w = tf.contrib.feature_column.sequence_categorical_column_with_vocabulary_list('w', ['a'])
    columns = [tf.feature_column.embedding_column(w, 2)]
    values, lengths = APPLIED
    guess = tf.layers.dense(tf.reduce_sum(values, 1), 1)
    loss = tf.losses.mean_squared_error(labels, guess)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(input_fn, steps=3)
"""
BY_FUNCTION = "tf.contrib.feature_column.sequence_input_layer(features, columns)"
BY_LAYER = "tf.keras.experimental.SequenceFeatures(columns)(features)"
NAMED = "layer(features)"
MADE = "    layer = tf.keras.experimental.SequenceFeatures(columns)\n    values"


def program(applied: str, *changes: tuple[str, str]) -> str:
    text = PROGRAM.replace("APPLIED", applied)
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "text",
    [program(BY_FUNCTION), program(BY_LAYER), program(NAMED, ("    values", MADE))],
)
def test_sequences_of_columns(text: str) -> None:
    new = after(text)
    made = re.search(r"self\.(\w+) = SequenceFeatures\(", new)
    assert made is not None
    assert f"values, lengths = self.{made[1]}(features)" in new
    assert "w = VocabularyColumn('w', ['a'])" in new
    assert "def sequence(self, features, tables):" in new


def test_sequences_of_numbers() -> None:
    number = "tf.contrib.feature_column.sequence_numeric_column('w')"
    new = after(program(BY_FUNCTION, ("tf.feature_column.embedding_column(w, 2)", number)))
    assert "SequenceNumericColumn('w')" in new


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            program(
                BY_FUNCTION,
                ("embedding_column(w, 2)",
                 "embedding_column(tf.feature_column.weighted_categorical_column(w, 'v'), 2)"),
            ),
            "columns with weights",
        ),
        (
            program(NAMED, ("    values", MADE), ("    guess", "    layer(features)\n    guess")),
            "that isn't applied once",
        ),
        (
            program(BY_FUNCTION, ("features, columns)", "features, columns, trainable=False)")),
            "`trainable` of SequenceFeatures",
        ),
    ],
)  # fmt: skip
def test_other_sequences_stay(text: str, reason: str) -> None:
    assert reason in stopped(text)[1]
