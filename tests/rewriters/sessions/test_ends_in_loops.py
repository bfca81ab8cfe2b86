"""Layers by the parts of a table, in a loop that may be left early; variants that nobody uses."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
from collections import namedtuple
import functools
import tensorflow as tf

One = namedtuple('One', ['depth'])
Two = namedtuple('Two', ['depth'])
PARTS = {parts}
x = tf.placeholder(tf.float32, [None, 3])


def net(inputs, final='part1_b', first=1):
    ends = {{}}
    out = inputs
    for i, part in enumerate(PARTS):
        name = 'part%d' % i
        if isinstance(part, One):
            out = tf.layers.dense(out, part.depth, name=name)
            ends[name] = out
            if name == final:
                return out, ends
        elif isinstance(part, Two):
            out = tf.layers.dense(out, part.depth, name=name + '_a')
            label = name + '_b'
            out = tf.layers.dense(out, part.depth, name=label)
            ends[label] = out
            if {asked}:
                return out, ends
        {more}
    raise ValueError('no part %s' % final)


{variants}
out, ends = net({arguments})
{calls}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([out, ends['part0']], {{x: [[0.5] * 3]}}))
"""
PLAIN = {
    "parts": "[One(4), Two(5)]",
    "asked": "label == final",
    "more": "pass",
    "variants": "",
    "arguments": "x",
    "calls": "",
}


def upgrade(**changed: str) -> FileResult:
    lines = PROGRAM.format(**PLAIN | changed).splitlines(keepends=True)
    source = "".join(line for line in lines if line.strip() != "pass")
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"asked": "final == label"},
        {"arguments": "x, 'part1_b'"},
        {"parts": "[One(4), Two(5), One(6)]", "arguments": "x, final='part2'"},
        {"variants": "small = functools.partial(net, first=2)"},
    ],
)
def test_a_loop_that_ends_with_its_last_part(changed: dict[str, str]) -> None:
    result = upgrade(**changed)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "== final" not in text
    assert "final ==" not in text
    assert "no part" not in text
    assert text.count("return out, ends\n") == 1
    assert ("small = functools.partial(net, first=2)" in text) == ("variants" in changed)


@pytest.mark.parametrize(
    "changed",
    [
        # It ends with another part, or none, or with what isn't told.
        {"arguments": "x, 'part0'"},
        {"arguments": "x, 'part7'"},
        {"arguments": "x, input()"},
        {"parts": "[One(4), Two(5), One(6)]"},
        {"parts": "[One(int(n)) for n in open('sizes')]"},
        # More follows in the last round.
        {"more": "out = out + 1.0"},
        # Another call wants another part; a question does more than to ask.
        {"calls": "with tf.variable_scope('other'):\n    again = net(x, 'part0')"},
        {"asked": "label == final or print(label)"},
        # Something uses a variant.
        {
            "variants": "small = functools.partial(net, first=2)",
            "calls": "with tf.variable_scope('other'):\n    again = small(x)",
        },
    ],
)
def test_what_isnt_told_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT
