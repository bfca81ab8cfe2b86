"""`variables_collections` of a normalization: a collection that nobody reads."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

SOURCE = """\
import tensorflow as tf
slim = tf.contrib.slim


def scope_of(collection='moving'):
    params = {'decay': 0.9, 'variables_collections': {'beta': None, 'moving_mean': [collection]}}
    with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm,
                        normalizer_params=params) as sc:
        return sc


x = tf.placeholder(tf.float32, [None, 4, 4, 1])
with slim.arg_scope(scope_of()):
    y = slim.conv2d(x, 2, [3, 3], scope='c1')
READ
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[[[1.]] * 4] * 4]}))
"""


@pytest.mark.parametrize(
    ("read", "level"),
    [
        ("n = tf.get_collection(tf.GraphKeys.UPDATE_OPS)", Level.NATIVE),
        ("", Level.NATIVE),
        ("tf.add_to_collection('moving', y)\nn = tf.get_collection('moving')", Level.COMPAT),
    ],
)
def test_a_collection_that_is_read_keeps_the_session(read: str, level: Level) -> None:
    (result,) = texts({"program.py": SOURCE.replace("READ", read).encode()}, Options())
    assert result.level is level, [f.message for f in result.left]
