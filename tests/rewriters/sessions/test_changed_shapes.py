"""Variables whose assignments change their shape, and which of them keep the session."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

REASON = "a variable changes its shape"
RUN = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(grow))
"""
MADE = "a = tf.Variable([], dtype=tf.float32, validate_shape=False)\n"
UNSHAPED = "a = tf.Variable([], dtype=tf.float32, shape=tf.TensorShape(None))\n"


def program(made: str, grow: str) -> str:
    return f"import tensorflow as tf\n{made}grow = {grow}\n{RUN}"


@pytest.mark.parametrize(
    ("made", "grow"),
    [
        (MADE, "tf.assign(a, tf.concat([a, [1.0]], 0), validate_shape=False)"),
        (MADE, "tf.assign(a, tf.concat([a, [1.0]], 0), False)"),
        (UNSHAPED, "tf.assign(ref=a, validate_shape=False, value=tf.concat([a, [1.0]], 0))"),
    ],
)
def test_unshaped(made: str, grow: str) -> None:
    text = after(program(made, grow))
    assert UNSHAPED in text
    assert "a.assign(tf.concat([a, [1.0]], 0))" in text


def test_validated() -> None:
    text = after(program(MADE, "tf.assign(a, [], validate_shape=True)"))
    assert "shape=" not in text.replace("validate_shape=", "")


@pytest.mark.parametrize(
    ("made", "grow"),
    [
        ("a = tf.Variable([1.0])\n", "tf.assign(a, [1.0, 2.0], validate_shape=False)"),
        ("a = tf.Variable([1.0])\n", "tf.assign(a, [1.0, 2.0], False)"),
        (MADE, "tf.assign(a, [1.0], validate_shape=False, name='a')"),
        ("flag = bool(1)\n" + MADE, "tf.assign(a, [1.0], validate_shape=flag)"),
        ("a = tf.get_variable('a', [1])\n", "tf.assign(a, [1.0], validate_shape=False)"),
    ],
)
def test_kept(made: str, grow: str) -> None:
    assert REASON in stopped(program(made, grow))
