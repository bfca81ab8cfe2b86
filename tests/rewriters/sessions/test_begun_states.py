"""Variables with which a loop's state begins."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2, 3])
start = tf.Variable(tf.zeros([2, 1]))
state = start
for part in tf.split(x, 3, axis=1):
    BODY
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(state, {x: [[1, 2, 3], [4, 5, 6]]}))
"""


def test_the_state_is_the_functions() -> None:
    text = after(PROGRAM.replace("BODY", "state = tf.tanh(part + state)"))
    assert "    state = start\n    for part in tf.split(x, 3, axis=1):\n" in text


@pytest.mark.parametrize(
    "body",
    [
        "state = tf.tanh(part + state)\n    state = state * 2.0",
        "state = tf.Variable(tf.zeros([2, 1]))",
        "state = tf.get_variable('w' + str(part.shape[1]), [2, 1])",
    ],
)
def test_what_keeps_the_session(body: str) -> None:
    assert stopped(PROGRAM.replace("BODY", body))
