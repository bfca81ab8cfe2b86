"""Nets of two functions, as slim's Inceptions are: scopes, switches and last parts handed on."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])


def base(inputs, final_endpoint='b', scope='net'):
    end_points = {{}}
    with tf.variable_scope(scope, 'net', [inputs]):
        end_point = 'a'
        net = slim.conv2d(inputs, 4, [3, 3], normalizer_fn=slim.batch_norm, scope=end_point)
        end_points[end_point] = net
        if final_endpoint == end_point: return net, end_points
        end_point = 'b'
        net = slim.conv2d(net, 2, [3, 3], scope=end_point)
        end_points[end_point] = net
        if {asked}: return net, end_points
        {more}
    raise ValueError('Unknown final endpoint %s' % final_endpoint)


def net(inputs, is_training=True, scope='net'):
    with tf.variable_scope(scope, 'net', [inputs]) as {name}:
        with slim.arg_scope([slim.batch_norm], is_training=is_training):
            net, end_points = base(inputs, {arguments})
        return slim.conv2d(net, 2, [1, 1], scope='logits'), end_points


out, end_points = net(x)
{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, end_points['a']], {{x: [[[[0.5] * 3] * 8] * 8]}}))
"""
PLAIN = {
    "asked": "end_point == final_endpoint",
    "more": "",
    "name": "scope",
    "arguments": "scope=scope",
    "calls": "",
}


def upgrade(**changed: str) -> FileResult:
    source = PROGRAM.format(**PLAIN | changed)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("changed", [{}, {"name": "sc", "arguments": "scope=sc"}])
def test_a_scope_a_switch_and_the_last_part_are_handed_on(changed: dict[str, str]) -> None:
    result = upgrade(**changed)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def base(is_training):\n" in text
    assert "base_layer = base(is_training=is_training)\n" in text
    assert "a_norm(a_layer(inputs), training=is_training)" in text
    assert "net, end_points = base_layer(inputs)\n" in text
    assert "end_points['b'] = net\n" in text
    assert "raise ValueError" not in text
    assert "end_point =" not in text


@pytest.mark.parametrize(
    "changed",
    [
        # More follows the last part that is wanted, or which one that is isn't told.
        {"arguments": "final_endpoint='a', scope=scope"},
        {"arguments": "final_endpoint=chosen, scope=scope", "calls": "chosen = 'b'"},
        {"more": "net = net + 1.0"},
        {"asked": "end_point == str(final_endpoint)"},
        # Another call is in another scope, or has no such switch.
        {"calls": "again, _ = base(x, scope='other')"},
        {"calls": "builders = [base]"},
        {"arguments": "chosen, scope", "calls": "chosen = 'b'"},
    ],
)
def test_what_isnt_seen_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT


def test_a_switch_stands_before_what_is_given_by_its_place() -> None:
    result = upgrade(arguments="'b', scope")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "def base(is_training):\n" in text
    assert "base_layer = base(is_training)\n" in text
