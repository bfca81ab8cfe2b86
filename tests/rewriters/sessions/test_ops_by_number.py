"""Assignments of a list that are run by number: the scores of an agent, for their summaries."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Agent:
    def __init__(self):
        score = tf.Variable(0.)
        largest = tf.Variable(0.)
        values = [score, largest]
        self.total = score + largest
        holders = [tf.placeholder(tf.float32) for _ in range(len(values))]
        ops = [values[i].assign(holders[i]) for i in range(len(values))]
        self.holders, self.ops = holders, ops
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def note(self, scores):
        for i in range(len(scores)):
            self.sess.run(self.ops[i], feed_dict={self.holders[i]: float(scores[i])})
        return self.sess.run(self.total)


agent = Agent()
print(agent.note([1, 2]))
"""
KEPT = "        self.holders, self.ops = holders, ops\n"
PLAIN = PROGRAM.replace(KEPT, "        self.holders = holders\n        self.ops = ops\n")
LISTED = "        ops = [values[i].assign(holders[i]) for i in range(len(values))]\n"
RUN = "self.sess.run(self.ops[i], feed_dict={self.holders[i]: float(scores[i])})"


def test_variables_are_assigned_by_number() -> None:
    text = after(PLAIN)
    assert "        self.values = values\n" in text
    assert "            self.values[i].assign(float(scores[i]))\n" in text
    assert "holders" not in text
    assert "ops" not in text


@pytest.mark.parametrize(
    "listed",
    [
        "[tf.assign(values[i], holders[i]) for i in range(2)]",
        "[v.assign(h) for v, h in zip(values, holders)]",
    ],
)
def test_other_words(listed: str) -> None:
    text = after(PLAIN.replace(LISTED, f"        ops = {listed}\n"))
    assert "            self.values[i].assign(float(scores[i]))\n" in text


def test_another_function_has_a_list_of_that_name() -> None:
    text = after(PLAIN.replace("scores", "values"))
    assert "            self.values[i].assign(float(values[i]))\n" in text


def test_in_a_module() -> None:
    text = after("""\
import tensorflow as tf

values = [tf.Variable(0.), tf.Variable(1.)]
held = [tf.placeholder(tf.float32) for v in values]
ops = [values[i].assign(held[i]) for i in range(len(values))]
total = values[0] + values[1]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for k in range(2):
        sess.run(ops[k], {held[k]: k + 2.})
    print(sess.run(total))
""")
    assert "        values[k].assign(k + 2.)\n" in text.replace("    values", "        values")
    assert "held" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (RUN, "self.sess.run(self.ops[i], {self.holders[1 - i]: float(scores[i])})"),
        (RUN, "print(self.sess.run(self.ops[i], {self.holders[i]: float(scores[i])}))"),
        (RUN, RUN + "\n            print(self.ops)"),
        (RUN, RUN + "\n            print(self.holders[0])"),
        ("        self.total", "        values.reverse()\n        self.total"),
        ("float(scores[i])}", "float(scores[i]), self.holders[0]: 1.}"),
        ("i in range(len(values))]\n        self", "i in range(1, len(values))]\n        self"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PLAIN
    stopped(PLAIN.replace(old, new))
