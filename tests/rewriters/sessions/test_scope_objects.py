"""Layers that are given the scope of the block that they stand in."""

from __future__ import annotations

import pytest
from rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim

x = tf.placeholder(tf.float32, [None, 3])
{block}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(net, {{x: [[1.0, 2.0, 3.0]]}}))
"""


def test_a_layer_has_the_scopes_name() -> None:
    block = """\
with tf.variable_scope('fc1') as scope:
    # the first one
    net = slim.fully_connected(
        x, 4, scope=scope)
    net = net * 2.0"""
    text = after(PROGRAM.format(block=block))
    assert "name='fc1'" in text
    assert "# the first one" in text
    assert "net = fc1_layer(x)" in text.replace("net_layer", "fc1_layer")


def test_a_layer_is_reused_as_its_block_is() -> None:
    block = """\
def tower(x, reuse=False):
    with tf.variable_scope('fc1', reuse=reuse) as scope:
        net = slim.fully_connected(x, 4, scope=scope{own})
    return net


net = tower(x) - tower(x * 2, reuse=True)"""
    for own in ("", ", reuse=reuse"):
        text = after(PROGRAM.format(block=block.format(own=own)))
        assert "tower_layer(x) - tower_layer(x * 2)" in text
    assert stopped(PROGRAM.format(block=block.format(own=", reuse=True")))


@pytest.mark.parametrize(
    "block",
    [
        "with tf.variable_scope('fc1') as scope:\n"
        "    net = slim.fully_connected(x, 4, scope=scope)\n"
        "    net = slim.fully_connected(net, 4)",
        "with tf.variable_scope('fc1') as scope:\n"
        "    net = slim.fully_connected(x, 4, scope=scope)\n"
        "print(scope.name)",
        "with tf.variable_scope('fc1', initializer=tf.ones_initializer()) as scope:\n"
        "    net = slim.fully_connected(x, 4, scope=scope)",
        "with tf.variable_scope('fc1') as scope:\n    pass\n"
        "net = slim.fully_connected(x, 4, scope=scope)",
    ],
)
def test_others_stay(block: str) -> None:
    assert stopped(PROGRAM.format(block=block))
