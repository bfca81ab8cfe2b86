"""Lookup tables: `tf.lookup`'s classes for those of `tf.contrib.lookup`, or the session stays."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert

LOOKUP = "x = tf.placeholder(tf.string, [None])\ny = table.lookup(x)\n"
RUN = "with tf.Session() as s:\n    s.run(tf.tables_initializer())\n    s.run(y, {x: ['a']})\n"
RANGE = "tf.range(len(words), dtype=tf.int64)"
LINES = (
    'tf.lookup.TextFileInitializer("f", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, '
    "tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)"
)


def _convert(made: str) -> str:
    source = f"import tensorflow as tf\nwords = ['a', 'b']\n{made}{LOOKUP}{RUN}"
    document = read("program.py", source.encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


@pytest.mark.parametrize(
    ("call", "made"),
    [
        (
            "index_table_from_tensor(words)",
            f"StaticHashTable(\n    tf.lookup.KeyValueTensorInitializer(words, {RANGE}), -1)",
        ),
        (
            "index_table_from_tensor(tf.constant(words), num_oov_buckets=2)",
            f"StaticVocabularyTable(\n    tf.lookup.KeyValueTensorInitializer(words, {RANGE}), 2)",
        ),
        (
            "index_to_string_table_from_tensor(words)",
            f'StaticHashTable(\n    tf.lookup.KeyValueTensorInitializer({RANGE}, words), "UNK")',
        ),
        (
            'index_table_from_file("f", default_value=0)',
            f"StaticHashTable(\n    {LINES}, 0)",
        ),
        (
            "HashTable(tf.contrib.lookup.KeyValueTensorInitializer(words, words), '?')",
            "StaticHashTable(\n    tf.lookup.KeyValueTensorInitializer(words, words), '?')",
        ),
    ],
)
def test_tables(call: str, made: str) -> None:
    text = _convert(f"table = tf.contrib.lookup.{call}\n")
    assert f"table = tf.lookup.{made}\n" in text
    assert "contrib" not in text
    assert "tables_initializer" not in text


@pytest.mark.parametrize(
    ("made", "line", "reason"),
    [
        ("def f():\n    return tf.contrib.lookup.index_table_from_tensor(words)\ntable = f()\n", 4,
         "in a helper"),
        ("tf.contrib.lookup.index_table_from_tensor(f())\n", 3,
         "no name"),
        ("table = tf.contrib.lookup.index_table_from_tensor(words, dtype=tf.int64)\n", 3,
         "`dtype`"),
        ("table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, 0)\n", 3,
         "isn't followed"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_keeps_the_session(made: str, line: int, reason: str) -> None:
    with pytest.raises(Blocked) as caught:
        _convert(made)
    assert reason in caught.value.reason
    assert getattr(caught.value.node, "lineno", 0) == line
