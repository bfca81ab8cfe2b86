"""Tensors that are compared with numbers: TF 1 finds them unlike, TF 2 compares what they hold."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf

def head(seq, size, drop=0.0):
    if {test}:
        seq = tf.nn.dropout(seq, 1.0 - drop)
    return tf.layers.dense(seq, size)

x = tf.placeholder(tf.float32, [None, 3])
drop = tf.placeholder(tf.float32, ())
y = head(x, 2, drop)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(y, {{x: [[1, 2, 3]], drop: 0.0}}))
"""


@pytest.mark.parametrize(
    ("test", "written"),
    [
        ("drop != 0.0", "if tf.is_tensor(drop) or drop != 0.0:"),
        ("0 != drop", "if tf.is_tensor(drop) or 0 != drop:"),
        ("drop == 0.0", "if not tf.is_tensor(drop) and drop == 0.0:"),
        ("size and drop != 0.0", "if size and (tf.is_tensor(drop) or drop != 0.0):"),
    ],
)
def test_an_argument_that_may_be_a_tensor(test: str, written: str) -> None:
    assert f"        {written}\n" in after(SOURCE.format(test=test))


def test_what_is_no_argument_keeps_the_session() -> None:
    source = SOURCE.format(test="size").replace(
        "    print(", "    if drop == 0.0:\n        print('none')\n    print("
    )
    assert "asks TF 1 whether they are one" in stopped(source)
    source = SOURCE.format(test="drop == 0.0").replace(
        "    if drop", "    drop = drop * 2\n    if drop"
    )
    assert "asks TF 1 whether they are one" in stopped(source)
