"""Summaries that are called after ops: ``x.op.name``, where the author named the op."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from tests.rewriters.sessions.test_sessions import after, upgrade

SOURCE = """\
import re
import numpy as np
import tensorflow as tf

TOWER = "tower"


def summarize(x):
    name = re.sub("%s_[0-9]*/" % TOWER, "", x.op.name)
    tf.summary.scalar(name + "/sparsity", tf.nn.zero_fraction(x))


x = tf.placeholder(tf.float32, [None, 4], name="x")
w = tf.Variable(tf.ones([4, 4]), name="w")
a = tf.matmul(x, w, name="h")
b = tf.nn.relu(a - 2.0, name="h")
with tf.name_scope("h"):
    c = tf.nn.tanh(b, name="c")
    summarize(c)
with tf.variable_scope("deep") as scope:
    v = tf.get_variable("v", [4, 2], initializer=tf.ones_initializer())
    with tf.name_scope("tower_0"):
        d = tf.nn.relu(tf.matmul(c, v), name=scope.name)
summarize(d)
e = tf.nn.relu(d - 1.0, name="deep")
summarize(b)
summarize(e)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter("logs")
    writer.add_summary(sess.run(merged, {x: np.ones([2, 4])}), 0)
    writer.close()
"""


def test_tags_are_what_tf1_calls_the_ops() -> None:
    """As TF 1.15.5 writes them: a scope is numbered beside ops of its name, too."""
    text = after(SOURCE)
    for tag in ("h_2/h_2/c", "deep/deep", "h_1", "deep_1"):
        assert f'"{tag}/sparsity": ' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('tf.nn.relu(d - 1.0, name="deep")', "tf.nn.relu(d - 1.0)"),
        ('tf.nn.relu(d - 1.0, name="deep")', 'tf.nn.relu(d - 1.0, name="deep") + 1.0'),
        ("summarize(e)", "e = e + 1.0\nsummarize(e)"),
        # An op in a scope of the name, `deep_1/mul_1`.
        ('tf.nn.relu(d - 1.0, name="deep")', 'tf.nn.dropout(d - 1.0, 0.5, name="deep")'),
        ("x.op.name)", "x.op.type)"),
        ("x.op.name)", "x.op.name, 1)"),
    ],
)
def test_a_name_that_isn_t_told_keeps_the_session(old: str, new: str) -> None:
    assert SOURCE.replace(old, new) != SOURCE
    assert upgrade(SOURCE.replace(old, new)).level is Level.COMPAT


def test_a_function_with_variables_and_such_summaries_stands_where_it_is_called() -> None:
    lines = SOURCE.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("with tf.variable"))
    last = next(i for i, line in enumerate(lines) if line.startswith("e = "))
    body = "".join(f"    {line}" for line in lines[first:last])
    source = "".join([*lines[:7], f"def deep(c):\n{body}    return d\n\n\n"])
    source += "".join([*lines[7:first], "d = deep(c)\n", *lines[last:]])
    text = after(source)
    assert "def deep" not in text
    assert '"deep/deep/sparsity": ' in text
