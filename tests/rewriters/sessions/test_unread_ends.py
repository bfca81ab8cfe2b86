"""Outputs that slim collects in functions of functions, and that nobody reads."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim


@slim.add_arg_scope
def part(x, n, outputs_collections=None, scope=None):
    \"\"\"A part.

    Args:
      x: What it is given.
      outputs_collections: Where its
        output goes.
      scope: Its name.
    \"\"\"
    with tf.variable_scope(scope, 'part', [x]) as sc:
        h = slim.fully_connected(x, n, scope='inner')
        return slim.utils.collect_named_outputs(outputs_collections, sc.name, h)


def net(x, scope='net'):
    with tf.variable_scope(scope, 'net', [x]) as sc:
        kept = sc.original_name_scope + '_ends'
        with slim.arg_scope([slim.fully_connected, part], outputs_collections=kept):
            h = part(x, 4, scope='a')
            h = part(h, 3, scope='b')
            ends = slim.utils.convert_collection_to_dict(kept)
            ends['likely'] = tf.nn.softmax(h)
            return h, ends


x = tf.placeholder(tf.float32, [None, 3])
y, ends = net(x)
{more}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run({read}, {{x: [[1.0, 2.0, 3.0]]}}))
"""


@pytest.mark.parametrize("read", ["y", "[y, ends['likely']]"])
def test_they_are_not_collected(read: str) -> None:
    text = after(PROGRAM.format(more="", read=read))
    assert "collect" not in text
    assert "      x: What it is given.\n      scope: Its name.\n" in text
    assert "arg_scope" not in text
    assert "ends = {}" in text or "ends" not in text


@pytest.mark.parametrize(
    ("more", "read"),
    [
        ("", "ends['net/a']"),
        ("for name in ends:\n    tf.summary.histogram(name, ends[name])", "y"),
        ("print(sorted(ends))", "y"),
        ("all_of = [ends]", "y"),
        ("if x is None:\n    ends = {}\nz = ends['net/b']", "z"),
    ],
)
def test_what_may_be_read_keeps_the_session(more: str, read: str) -> None:
    stopped(PROGRAM.format(more=more, read=read))
