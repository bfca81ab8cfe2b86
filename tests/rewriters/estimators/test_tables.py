"""`--to keras`: tables of words. (fixtures/keras/word_tables has the numbers.)"""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf
LABELS = ['a', 'b']


def input_fn(path, buckets):
    table = TABLE
    data = {'x': np.ones((8, 2), 'f'), 'w': np.array(['a'] * 8)}, np.zeros(8, 'i')
    dataset = tf.data.Dataset.from_tensor_slices(data)
    return dataset.map(lambda x, y: (x, table.lookup(x['w']))).batch(4)


def model_fn(features, labels, mode):
    logits = tf.layers.dense(features['x'], 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


net = tf.estimator.Estimator(model_fn)
net.train(lambda: input_fn('words.txt', 2), steps=3)
"""
C = "tf.contrib.lookup."
INIT = "tf.lookup.KeyValueTensorInitializer(LABELS, tf.range(len(LABELS), dtype=tf.int64))"
LINES = (
    "tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, "
    "tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER"
)


def upgraded(table: str) -> tuple[Level | None, str, str]:
    text = PROGRAM.replace("TABLE", table)
    (result,) = texts({"program.py": text.encode()}, Options(to="keras"))
    left = [f.message for f in result.left if f.rule == "TFM520"]
    return result.level, (result.after or b"").decode(), "".join(left)


@pytest.mark.parametrize(
    ("table", "new"),
    [
        (f"{C}index_table_from_tensor(tf.constant(LABELS))", f"StaticHashTable({INIT}, -1)"),
        (f"{C}index_table_from_tensor(LABELS, default_value=7)", f"StaticHashTable({INIT}, 7)"),
        (f"{C}index_table_from_tensor(LABELS, 3)", f"StaticVocabularyTable({INIT}, 3)"),
        (f"{C}index_table_from_file(path, buckets)", f"StaticVocabularyTable({LINES}), buckets)"),
        (
            f"{C}index_table_from_file(path, default_value=1, delimiter=' ')",
            f"StaticHashTable({LINES}), 1)",
        ),
        (
            f"{C}index_table_from_file(path, vocab_size=9)",
            f"StaticHashTable({LINES}, vocab_size=9), -1)",
        ),
    ],
)
def test_tables_of_words(table: str, new: str) -> None:
    level, text, said = upgraded(table)
    assert level is Level.NATIVE, said
    assert f"    table = tf.lookup.{new}\n" in text


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (f"{C}index_table_from_tensor(LABELS, buckets, default_value=7)", "buckets"),
        (f"{C}index_table_from_tensor(tf.constant(LABELS, tf.string))", "plain constant"),
        (f"{C}index_table_from_tensor(make(LABELS))", "no name"),
        (f"{C}index_table_from_file(path, key_column_index=1)", "`key_column_index`"),
    ],
)
def test_what_keeps_an_estimator(table: str, reason: str) -> None:
    level, _, said = upgraded(table)
    assert level is Level.COMPAT
    assert reason in said
