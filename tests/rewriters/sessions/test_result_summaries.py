"""A summary of what a function that makes variables returns stands behind its calls."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """\
import tensorflow as tf


def add_layer(inputs, n_in, n_out, name, act=tf.nn.tanh):
    w = tf.Variable(tf.ones([n_in, n_out]))
    out = act(tf.nn.dropout(tf.matmul(inputs, w), keep_prob))
SUMMARY
    return out


xs = tf.placeholder(tf.float32, [None, 3])
keep_prob = tf.placeholder(tf.float32)
CALLS
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter('logs')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer.add_summary(sess.run(merged, {xs: [[1, 2, 3]], keep_prob: 1.0}), 0)
"""
SUMMARY = "tf.summary.histogram(name + '/outputs', out)"
TWO = "h = add_layer(xs, 3, 4, 'l1')  # first\ny = add_layer(h, 4, 2, 'l2', tf.nn.relu)"
SCOPED = "with tf.name_scope('net'):\n    h = add_layer(xs, 3, 4, 'a')"


def upgrade(summary: str, calls: str) -> FileResult:
    source = SOURCE.replace("SUMMARY", f"    {summary}").replace("CALLS", calls)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_each_call_has_its_summary_and_its_comment() -> None:
    result = upgrade(SUMMARY, TWO)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "h = h_layer(xs, keep_prob)  # first" in text or "h = h_layer(keep_prob, xs)" in text
    assert "'l1/outputs': h" in text
    assert "'l2/outputs': y" in text
    assert "name + '/outputs'" not in text


@pytest.mark.parametrize(
    ("summary", "calls", "tags"),
    [
        ("tf.summary.histogram(values=out, name='l%s' % name)", TWO, ["'ll1': h", "'ll2': y"]),
        (f"t = name + '/a'\n    {SUMMARY.replace('name +', 't +')}", TWO, ["'l1/a/outputs': h"]),
        (SUMMARY, SCOPED, ["'net/a/outputs': h"]),
    ],
)
def test_tags_come_from_what_calls_give(summary: str, calls: str, tags: list[str]) -> None:
    result = upgrade(summary, calls)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert [t for t in tags if t not in text] == []


@pytest.mark.parametrize(
    ("summary", "calls"),
    [
        (SUMMARY, "for k in range(2):\n    xs = add_layer(xs, 3, 3, str(k))"),  # computed tags
        (SUMMARY, "y = add_layer(xs, 3, 4, 'l1') + 1.0"),  # no name
    ],
)
def test_others_stay_in_their_function(summary: str, calls: str) -> None:
    result = upgrade(summary, calls)
    text = (result.after or b"").decode()
    assert "/outputs': h" not in text
    assert "tf.summary.histogram('" not in text


def test_a_value_that_is_bound_again_is_the_one_that_was_looked_at() -> None:
    result = upgrade(f"{SUMMARY}\n    out = out + 1.0", TWO)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    text = (result.after or b"").decode()
    assert "    h2 = h + 1.0\n    y = tf.nn.relu(tf.nn.dropout(tf.matmul(h2, y_w)" in text
    assert "'l1/outputs': h,\n" in text
