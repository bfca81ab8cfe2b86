"""Variables of several functions that have names alike in scopes that calls name."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.programs.graph.model import Blocked
from migrate.rewriters.sessions.convert import convert
from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def scaled(x, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        w = tf.get_variable('weight', [3])
        b = tf.get_variable('bias', [3])
        return x * w + b


def moved(x, scope):
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        b = tf.get_variable('bias', [3])
        return x + b


x = tf.placeholder(tf.float32, [None, 3])
y = scaled(x, 'a')
y = moved(y, 'b')
y = scaled(y, 'c')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {x: [[1., 2., 3.]]}))
"""


def _convert(old: str = "", new: str = "") -> str:
    document = read("program.py", PROGRAM.replace(old, new).encode())
    return apply(document.text, convert(document, names_of(document), "tf").edits)


def test_scopes_that_calls_name_tell_variables_apart() -> None:
    text = _convert()
    assert "a_layer = scaled('a')" in text
    assert "b_layer = moved('b')" in text
    assert "c_layer = scaled('c')" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scaled(y, 'c')", "scaled(y, 'b')"),  # the bias of the call above
        ("scaled(y, 'c')", "scaled(y, name)"),
        ("moved(y, 'b')", "moved(y, 'a')"),
    ],
)
def test_what_may_be_the_same_variable_keeps_the_session(old: str, new: str) -> None:
    with pytest.raises(Blocked, match=r"(found|used) again"):
        _convert(old, new)


FIXED = """\
import tensorflow as tf


def scaled(x):
    w = tf.get_variable('weight', [3])
    return x * w


def twice(x):
    with tf.variable_scope('inner'):
        return scaled(x) * 2


def moved(x):
    w = tf.get_variable('weight', [3])
    return x + w


x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope('a'):
    y = twice(x)
with tf.variable_scope('b'):
    y = moved(y)
with tf.variable_scope('c'):
    w = tf.get_variable('weight', [3])
    y = y + w
w = tf.get_variable('weight', [3])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y * w, {x: [[1., 2., 3.]]}))
"""
AGAIN = ", reuse=tf.AUTO_REUSE)"


def test_functions_and_what_is_beside_them_have_names_alike() -> None:
    text = after(FIXED)
    assert text.count("name='weight'") == 3
    assert "name='c/weight'" in text
    assert "twice_layer = twice()" in text
    assert "twice_layer = twice()" in after(FIXED.replace("'b')", "'b'" + AGAIN))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'b')", "'a/inner'" + AGAIN),  # a function's, which another one calls
        ("'c')", "'b'" + AGAIN),  # beside functions, after a call
        ("'c')", "'a/inner'" + AGAIN),
        (
            "'a')",
            "'a'"
            + AGAIN
            + ":\n    w = tf.get_variable('inner/weight', [3])\n"
            + "with tf.variable_scope('a'"
            + AGAIN,
        ),
    ],
)
def test_names_that_are_one_with_scopes_around_keep_the_session(old: str, new: str) -> None:
    assert "is found again" in stopped(FIXED.replace(old, new))


def test_a_call_in_a_scope_that_is_computed_may_make_what_is_there() -> None:
    source = FIXED.replace("'b')", "name" + AGAIN)
    assert "found again" in stopped(
        "import sys\n" + source.replace("x = ", "name = sys.argv[1]\nx = ", 1)
    )
