"""Functions that named tuples hold, dicts given by `**`, channels from round to round."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import collections

import tensorflow as tf

Stage = collections.namedtuple('Stage', ['label', 'unit', 'settings'])


def unit(x, depth, scope=None):
    with tf.variable_scope(scope, 'unit', [x]):
        h = tf.layers.dense(x, depth, name='main')
        if x.get_shape()[-1].value != depth:
            x = tf.layers.dense(x, depth, name='short')
        return tf.nn.relu(x + h)


def other(x, depth, scope=None):
    return tf.layers.dense(x, depth)


def net(x, stages):
    for stage in stages:
        with tf.variable_scope(stage.label, 'stage', [x]):
            for i, settings in enumerate(stage.settings):
                with tf.variable_scope('unit_%d' % i):
                    x = stage.unit(x, **settings)
    return x


x = tf.placeholder(tf.float32, [None, 3])
stages = [Stage('a', unit, [{'depth': 4}, {'depth': 4}]), Stage('b', unit, [{'depth': 5}])]
y = net(x, stages)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: [[1.0, 2.0, 3.0]]}))
"""


def test_the_tuples_go_on_holding_what_builds() -> None:
    text = after(PROGRAM)
    assert "Stage('a', unit, [{'depth': 4}, {'depth': 4}])" in text
    assert "unit_layers.append(stage.unit(depth=settings['depth'], x_channels=x_channels))" in text
    assert "    x_channels = 3\n    unit_layers = []\n" in text
    assert "            x_channels = settings['depth']\n" in text
    assert "x = unit_layer(x)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # tuples that hold two functions
        ("Stage('b', unit,", "Stage('b', other,"),
        # somebody else has the function, too
        ("y = net(x, stages)\n", "y = net(x, stages)\nkept = [unit]\nz = kept[0](y, 3)\n"),
        ("y = net(x, stages)\n", "y = net(x, stages)\nz = stages[0][1](y, 3)\n"),
        # keys that differ
        ("[{'depth': 5}]", "[{'depth': 5, 'scope': 'c'}]"),
        # nothing that a call is given tells its channels
        ("    return x\n\n\nx =", "        x = tf.concat([x, x], 1)\n    return x\n\n\nx ="),
        # a class of its own, which says what it is made of
        ("Stage = collections.namedtuple('Stage', ['label', 'unit', 'settings'])",
         "class Stage(collections.namedtuple('Stage', ['label', 'unit', 'settings'])):\n"
         "    def __new__(cls, label, unit, settings):\n"
         "        return super().__new__(cls, label, other, settings)"),
    ],
)  # fmt: skip
def test_what_isnt_told_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))


def test_channels_that_a_round_leaves_as_they_are() -> None:
    text = after(
        PROGRAM.replace("    return x\n\n\nx =", "        x = x * 2.0\n    return x\n\n\nx =")
    )
    assert text.count("x_channels = ") == 2
