"""End points that slim collects: the dict of them, and what keeps the session."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

slim = tf.contrib.slim
x = tf.placeholder(tf.float32, [None, 8, 8, 3])


def tiny(inputs, scope='net'):
    with tf.variable_scope(scope, 'net', [inputs]) as sc:
        collection = {collection}
        with slim.arg_scope([{listed}], outputs_collections={given}):
            net = slim.conv2d(inputs, 4, [3, 3], scope='conv1')
            {more}
            net = slim.max_pool2d(net, [2, 2], scope='pool1')
        end_points = slim.utils.convert_collection_to_dict(collection)
        net = slim.conv2d(net, 2, [1, 1], scope='last')
    return net, end_points


out, end_points = tiny(x)
{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, end_points['net/conv1']], {{x: [[[[0.5] * 3] * 8] * 8]}}))
"""
PLAIN = {
    "collection": "sc.name + '_end_points'",
    "listed": "slim.conv2d, slim.max_pool2d",
    "given": "collection",
    "more": "pass",
    "calls": "",
}


def upgrade(**changed: str) -> FileResult:
    source = PROGRAM.format(**PLAIN | changed)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"collection": "sc.original_name_scope + '_end_points'"},
        {"collection": "'end_points'"},
        {"given": "[collection]"},
        {"more": "net = slim.repeat(net, 2, slim.conv2d, 4, [3, 3], scope='block')"},
    ],
)
def test_what_layers_give_is_put_into_the_dict(changed: dict[str, str]) -> None:
    result = upgrade(**changed)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "        end_points = {}\n" in text
    assert "        end_points[scope + '/conv1'] = net\n" in text
    assert "        end_points[scope + '/pool1'] = net\n" in text
    assert ("end_points[scope + '/block/block_2'] = net\n" in text) == ("more" in changed)
    assert "'/last'" not in text  # it is made after the dict


@pytest.mark.parametrize(
    "changed",
    [
        # Layers whose names aren't seen, in a loop, in one another, or of the same name.
        {"more": "net = slim.conv2d(net, 4, [3, 3])"},
        {"more": "for i in range(2): net = slim.conv2d(net, 4, [3, 3], scope='c%d' % i)"},
        {"more": "net = slim.conv2d(slim.conv2d(net, 4, [1, 1], scope='a'), 4, [1, 1], scope='b')"},
        {"more": "net = slim.max_pool2d(net, [2, 2], scope='pool1')"},
        # A normalization in a layer is collected, too.
        {"listed": "slim.conv2d, slim.max_pool2d, slim.batch_norm"},
        # TF 1 counts the name scopes of pools, and a second call's join the first one's.
        {"calls": "again, _ = tiny(x, scope='other')"},
        {"calls": "print(tf.get_collection('net_end_points'))"},
    ],
)
def test_what_isnt_seen_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT


def test_another_call_finds_variables_scopes_under_their_names() -> None:
    result = upgrade(listed="slim.conv2d", calls="again, _ = tiny(x, scope='other')")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
