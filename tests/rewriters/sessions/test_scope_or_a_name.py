"""`scope or 'attention'` of a scope that is given, and imports that older releases lack."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

try:
    from tensorflow.contrib.layers import xavier_initializer
except ImportError:
    xavier_initializer = tf.nn.xavier


def attention(h, n, scope=None):
    with tf.variable_scope(scope or 'attention') as scope:
        w = tf.get_variable('w', [3, n], initializer=xavier_initializer())
        return tf.matmul(h, w)


x = tf.placeholder(tf.float32, [None, 3])
with tf.variable_scope('first') as scope:
    a = attention(x, 3, scope=scope)
with tf.variable_scope('second') as scope:
    b = attention(a, 2, scope)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(b, {x: [[1, 2, 3]]}))
"""


def test_the_scope_needs_not_be_told() -> None:
    text = after(PROGRAM)
    assert "scope" not in text
    assert "def attention(n):\n" in text
    assert "b_layer = attention(2)\n" in text
    assert "except" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # another scope than the one around the call
        ("a = attention(x, 3, scope=scope)", "pass\na = attention(x, 3, scope=scope)"),
        ("        w = tf", "        print(scope.name)\n        w = tf"),
        ("b = attention(a, 2, scope)", "b = attention(a, 2)"),
    ],
)
def test_what_may_be_another_scope_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new))


def test_an_import_of_what_is_not_there_stays() -> None:
    assert stopped(PROGRAM.replace("import xavier_initializer\n", "import nowhere\n"))
