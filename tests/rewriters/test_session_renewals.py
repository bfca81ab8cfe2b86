"""Variables that start anew, where nobody can tell."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
w = tf.Variable(tf.zeros([2]))
r = tf.Variable(tf.random_normal([2]))
y = tf.reduce_sum(x * w)
loss = tf.square(y - 1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
z = tf.reduce_sum(x * r)
more = w.assign_add([1.0, 1.0])
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
AGAIN = "sess.run(tf.global_variables_initializer())\n"
SECOND = "sess.close()\nsess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
Y = "print(sess.run(y, {x: [1, 2]}))\n"
Z = "print(sess.run(z, {x: [1, 2]}))\n"
TRAIN = "sess.run(train, {x: [1, 2]})\n"


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize("renewed", [AGAIN, SECOND])
@pytest.mark.parametrize(("before", "after"), [(Y, Y), (TRAIN, Z), (Y, TRAIN), (Y, Z + TRAIN)])
def test_what_no_run_had_changed_starts_once(before: str, renewed: str, after: str) -> None:
    result = upgrade(HEAD + before + renewed + after)
    assert result.level is Level.NATIVE, [f.message for f in result.left]


@pytest.mark.parametrize("renewed", [AGAIN, SECOND])
@pytest.mark.parametrize(
    ("before", "after"),
    [(TRAIN, Y), (TRAIN, TRAIN), (Z, Z), ("sess.run(more)\n", Y), (TRAIN, "print(sess.run(w))\n")],
)
def test_what_was_trained_or_drawn_keeps_the_session(before: str, renewed: str, after: str) -> None:
    result = upgrade(HEAD + before + renewed + after)
    assert result.level is Level.COMPAT
    assert any("second" in f.message for f in result.left)


def test_a_function_runs_before_and_after() -> None:
    function = "def go():\n    sess.run(train, {x: [1, 2]})\n    print(sess.run(w))\n\n\n"
    result = upgrade(HEAD + function + "go()\n" + AGAIN + "go()\n")
    assert result.level is Level.COMPAT


LATER = """\
saver = tf.train.Saver()
sess.run(train, {x: [1, 2]})
sess = tf.Session()
path = tf.train.latest_checkpoint('models')
if path:
    saver.restore(sess, path)
"""


@pytest.mark.parametrize(
    ("rest", "level"),
    [
        ("else:\n    raise ValueError('no checkpoint')\n", Level.NATIVE),
        ("elif path is None:\n    exit()\nelse:\n    saver.restore(sess, 'other')\n", Level.NATIVE),
        ("else:\n    print('new')\n", Level.COMPAT),
        ("else:\n    " + AGAIN, Level.COMPAT),
        ("elif path is None:\n    exit()\n", Level.COMPAT),
        ("", Level.COMPAT),
    ],
)
def test_a_later_session_restores_or_leaves(rest: str, level: Level) -> None:
    result = upgrade(HEAD + LATER + rest + Y)
    assert result.level is level, [f.message for f in result.left]
    if level is Level.COMPAT:
        assert any("a second session finds variables as new" in f.message for f in result.left)
