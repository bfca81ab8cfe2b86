"""Nets that are chosen in a dict of functions."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf


def one(inputs):
    return tf.layers.dense(inputs, 1, name='one')


def two(inputs):
    return tf.layers.dense(inputs, 2, name='two')


nets = {{{table}}}
kind = 'a'
x = tf.placeholder(tf.float32, [None, 3])
{call}
{more}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[0.5] * 3]}}))
"""
TABLE = "'a': one, 'b': two"


def upgrade(call: str = "out = nets[kind](x)", table: str = TABLE, more: str = "") -> FileResult:
    source = PROGRAM.format(call=call, table=table, more=more)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_a_branch_says_which_one_is_called() -> None:
    result = upgrade()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "nets" not in text
    assert "if kind == 'a':\n" in text
    assert "elif kind == 'b':\n" in text
    assert "raise KeyError(kind)\n" in text


def test_a_key_that_is_written_out_is_the_function() -> None:
    result = upgrade("out = nets['b'](x)")
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert "nets" not in text
    assert "if " not in text


@pytest.mark.parametrize(
    "changed",
    [
        # Something else reads the dict, or changes it.
        {"more": "print(sorted(nets))"},
        {"more": "nets['c'] = one"},
        {"more": "nets = {}"},
        # A key that is computed, one that isn't there, a call in an expression.
        {"call": "out = nets[input()](x)"},
        {"call": "out = nets['c'](x)"},
        {"call": "out = nets[kind](x) + 1.0"},
        # Not functions of the file, one key twice, too many.
        {"table": "'a': one, 'b': print"},
        {"table": "'a': one, 'a': two"},
        {"table": ", ".join(f"'{c}': one" for c in "abcde")},
    ],
)
def test_what_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT
