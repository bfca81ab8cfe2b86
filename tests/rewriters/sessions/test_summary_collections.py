"""Summaries in collections of their own, and what merges one of these."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

KEY = 'test'
x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(x)
most = tf.reduce_max(x)
tf.summary.scalar('loss', loss, collections=['train', KEY])
tf.summary.scalar('most', most, collections=['train'])
tf.summary.scalar('usual', most)
tf.summary.scalar('least', tf.reduce_min(x), collections=[tf.GraphKeys.SUMMARIES, 'test'])
merged = MERGED
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    writer.add_summary(sess.run(merged, {x: [[1, 2]]}), 0)
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def reasons(result: FileResult) -> list[str]:
    return [f.message for f in result.left if f.rule == "TFM420"]


@pytest.mark.parametrize(
    ("merged", "tags"),
    [
        ("tf.summary.merge_all('train')", {"loss", "most"}),
        ("tf.summary.merge_all(KEY)", {"loss", "least"}),
        ("tf.summary.merge_all(key='test')", {"loss", "least"}),
        ("tf.summary.merge_all()", {"usual", "least"}),
        ("tf.summary.merge_all(tf.GraphKeys.SUMMARIES)", {"usual", "least"}),
    ],
)
def test_a_collection_is_merged(merged: str, tags: set[str]) -> None:
    result = upgrade(PROGRAM.replace("MERGED", merged))
    assert result.level is Level.NATIVE, reasons(result)
    text = (result.after or b"").decode()
    assert {t for t in ("loss", "most", "usual", "least") if f"'{t}': " in text} == tags


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("['train', KEY]", "keys()", "a summary in collections that aren't seen"),
        ("['train', KEY]", "[key()]", "a collection of summaries that isn't seen"),
        ("merge_all('train')", "merge_all('other')", "no summaries are seen"),
        ("merge_all('train')", "merge_all('train', 'scope')", "the summaries of a collection"),
    ],
)
def test_what_is_not_seen(old: str, new: str, reason: str) -> None:
    source = PROGRAM.replace("MERGED", "tf.summary.merge_all('train')").replace(old, new)
    result = upgrade(source)
    assert result.level is Level.COMPAT
    assert any(reason in r for r in reasons(result)), reasons(result)
