"""What asks for a session that every call gives: ``if weights is not None and sess:``."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self, x, values=None, sess=None):
        self.parameters = []
        self.w = tf.Variable(tf.ones([2, 1]))
        self.b = tf.Variable(tf.zeros([1]))
        self.parameters += [self.w, self.b]
        self.out = tf.matmul(x, self.w) + self.b
        if {test}:
            # they are in order
            self.load(values, sess)

    def load(self, values, sess):
        for i, value in enumerate(values):
            sess.run(self.parameters[i].assign(value))


sess = tf.Session()
x = tf.placeholder(tf.float32, [None, 2])
net = Net({given})
print(sess.run(net.out, {{x: [[1.0, 2.0]]}}))
"""
GIVEN = "x, [[[1.0], [2.0]], [3.0]], sess"


def program(test: str, given: str = GIVEN) -> str:
    return PROGRAM.format(test=test, given=given)


@pytest.mark.parametrize(
    "test", ["values is not None and sess is not None", "sess and values is not None"]
)
def test_the_question_for_the_session_goes(test: str) -> None:
    text = after(program(test))
    assert "        if values is not None:\n            # they are in order\n" in text
    assert "def __init__(self, x, values=None):" in text
    assert "            self.parameters[i].assign(value)" in text


def test_nothing_else_is_asked() -> None:
    text = after(program("sess is not None"))
    assert "        # they are in order\n        self.load(values)\n" in text


def test_no_session_is_given() -> None:
    text = after(program("sess is not None", GIVEN.replace(", sess", ", None")))
    assert "self.load(" not in text
    assert "    def load(self, values):\n" in text


@pytest.mark.parametrize(
    "text",
    [
        program("values is not None or sess is not None"),
        program("sess is not None").replace("print(", "other = Net\nprint("),
    ],
)
def test_a_question_that_may_be_answered_otherwise_stays(text: str) -> None:
    stopped(text)
