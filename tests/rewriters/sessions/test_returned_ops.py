"""Lists of assignments that a method runs and returns."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

AGENT = """
import tensorflow as tf


class Agent(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.w = [tf.Variable(tf.ones([2, 1])), tf.Variable(tf.ones([1, 1]))]
        self.v = [tf.Variable(tf.zeros([2, 1])), tf.Variable(tf.zeros([1, 1]))]
        self.ops = [a.assign(b) for a, b in zip(self.v, self.w)]
        self.y = tf.matmul(tf.matmul(self.x, self.v[0]), self.v[1])
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def sync(self):
        return self.sess.run(self.ops)

    def run(self, x):
        return self.sess.run(self.y, {self.x: x})


agent = Agent()
print(agent.run([[1.0, 2.0]]))
"""


def test_what_is_called_for_its_effect() -> None:
    text = after(f"{AGENT}agent.sync()\nprint(agent.run([[1.0, 2.0]]))\n")
    assert "        return self.run_ops()\n" in text


@pytest.mark.parametrize(
    "asked",
    [
        "print(len(agent.sync()))",
        "a, b = agent.sync()",
        "f = agent.sync\nf()",
        "x = [agent.sync()]",
    ],
)
def test_what_was_assigned_is_asked_for(asked: str) -> None:
    said = stopped(f"{AGENT}{asked}\nprint(agent.run([[1.0, 2.0]]))\n")
    assert said == "16: what was assigned, which `sync` returns, is asked for"


def test_what_a_displayed_list_of_ops_gives_is_asked_for() -> None:
    shown = "[self.v[0].assign(self.w[0]), self.v[1].assign(self.w[1])]"
    agent = AGENT.replace("[a.assign(b) for a, b in zip(self.v, self.w)]", shown)
    said = stopped(f"{agent}print(agent.sync())\n")
    assert said == "16: what was assigned, which `sync` returns, is asked for"
