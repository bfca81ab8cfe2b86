"""Layers in loops inside one another."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
out = x
with tf.variable_scope('net', reuse={reuse}):
    for i in range(2):
        for j in {over}:
            {body}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[0.5] * 3]}}))
"""
DENSE = "out = tf.layers.dense(out, 3, name='unit%d_%d' % (i, j))"
UNIT = """\


def unit(inputs, scope):
    with tf.variable_scope(scope):
        return tf.layers.dense(inputs, 3, name='dense')


out = x
"""


def upgrade(body: str = DENSE, over: str = "range(3)", reuse: str = "None") -> FileResult:
    source = PROGRAM.format(body=body, over=over, reuse=reuse)
    if "unit(" in body:
        source = source.replace("out = x\n", UNIT, 1)
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_an_inner_loop_takes_its_share() -> None:
    result = upgrade()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    made = "for i in range(2):\n    for j in range(3):\n        unit_layers.append("
    assert made in text
    assert "next_unit_layers = iter(unit_layers)\n" in text
    assert "for _, unit_layer in zip(range(3), next_unit_layers):\n" in text


@pytest.mark.parametrize(
    ("changed", "header"),
    [
        ({"over": "range(i + 1)"}, "for _, unit_layer in zip(range(i + 1), next_unit_layers):"),
        (
            {"body": f"{DENSE} * j"},
            "for j, unit_layer in zip(range(3), next_unit_layers):",
        ),
        (
            {"body": f"{DENSE} * j", "over": "[2, 3]"},
            "for j, unit_layer in zip([2, 3], next_unit_layers):",
        ),
        ({"body": "out = unit(out, 'u%d_%d' % (i, j))"}, "zip(range(3), next_u_layers):"),
    ],
)
def test_what_an_inner_loop_goes_through(changed: dict[str, str], header: str) -> None:
    result = upgrade(**changed)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    assert header in result.after.decode()


@pytest.mark.parametrize(
    "changed",
    [
        # All rounds of the outer loop have the same variables.
        {"body": "out = unit(out, 'u%d' % j)", "reuse": "tf.AUTO_REUSE"},
        {"body": "out = unit(out, 'u%d' % i)", "reuse": "tf.AUTO_REUSE"},
        {"body": "out = unit(out, 'u%d_%d' % (i, j))", "reuse": "tf.AUTO_REUSE"},
        # Variables, not layers.
        {"body": "out = out * tf.get_variable('w%d_%d' % (i, j), [3])"},
        # A loop that may be left.
        {"body": f"{DENSE}; break"},
    ],
)
def test_what_keeps_the_session(changed: dict[str, str]) -> None:
    assert upgrade(**changed).level is Level.COMPAT


COUNTED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
out = x
size = 1
for b in range(3):
    {block}
    out = tf.layers.dense(out, size + 1, name='d%d' % b)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {{x: [[0.5] * 3]}}))
"""


@pytest.mark.parametrize(
    "block",
    [
        "for k in range(b):\n        size *= 2",
        "if b > 1:\n        size = 4",
        "while size < b:\n        size *= 2",
        "if b == size:\n        size = 4\n    else:\n        size += 1",
    ],
)
def test_what_a_size_is_counted_in_goes_along(block: str) -> None:
    (result,) = texts({"program.py": COUNTED.format(block=block).encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    text = result.after.decode()
    assert f"for b in range(3):\n    {block}\n    d_layers.append(" in text
    assert text.count("size") == block.count("size") + 2


@pytest.mark.parametrize(
    "block",
    [
        "for k in range(int(input())):\n        size *= 2",
        "if float(input()) > 1:\n        size = 4",
    ],
)
def test_what_a_size_is_asked_for_keeps_the_session(block: str) -> None:
    (result,) = texts({"program.py": COUNTED.format(block=block).encode()}, Options())
    assert result.level is Level.COMPAT
