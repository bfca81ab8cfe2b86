"""Branches that a run decides, and placeholders that are made in one."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

AGENT = """\
import tensorflow as tf

CONFIG = {"kind": "penalty", "rate": 0.5, "bound": 2.0}


class Agent:
    def __init__(self):
        self.sess = tf.Session()
        self.x = tf.placeholder(tf.float32, [None, 2], "x")
        self.w = tf.Variable(tf.ones([2, 1]))
        self.y = tf.matmul(self.x, self.w)
        if CONFIG["kind"] == "penalty":
            self.rate = tf.placeholder(tf.float32, [], "rate")
            self.penalty = tf.reduce_sum(tf.square(self.w))
            self.loss = tf.reduce_mean(self.y) + self.rate * self.penalty
        else:
            self.loss = tf.reduce_mean(tf.minimum(self.y, CONFIG["bound"]))
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        self.sess.run(tf.global_variables_initializer())

    def learn(self, x):
        if CONFIG["kind"] == "penalty":
            _, penalty = self.sess.run(
                [self.train, self.penalty], {self.x: x, self.rate: CONFIG["rate"]}
            )
            CONFIG["rate"] *= 0.5
            return penalty
        self.sess.run(self.train, {self.x: x})


agent = Agent()
for _ in range(3):
    print(agent.learn([[1.0, 2.0]]))
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return str(result.after, "utf-8")


def test_each_run_has_the_statements_of_its_way() -> None:
    text = native(AGENT)
    first, second = text.split("GradientTape()")[1:]
    assert "penalty = tf.reduce_sum(tf.square(self.w))\n" in first
    assert "tf.minimum" not in first
    assert 'loss = tf.reduce_mean(tf.minimum(y, CONFIG["bound"]))' in second
    assert "rate * penalty" not in second
    assert 'CONFIG["kind"]' not in first


def test_the_placeholder_stands_above_the_branch() -> None:
    assert "        self.rate = tf.TensorSpec([], tf.float32)\n" in native(AGENT)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # Both ways need what isn't fed.
        (
            "tf.minimum(self.y, ",
            "tf.minimum(self.y * self.rate, ",
            "`rate` is needed here and not fed",
        ),
        # What both ways read of the settings changes with each step.
        ('CONFIG["bound"]))', 'CONFIG["rate"]))', "changes in place"),
        # The other way trains another variable, too.
        (
            "tf.square(self.w))\n",
            "tf.square(self.w) + tf.square(self.v))\n",
            "a run that decides which variables are trained",
        ),
        # The program may ask which way it went.
        (
            "        if CONFIG",
            "        if hasattr(self, 'rate') and CONFIG",
            "a branch or a helper",
        ),
    ],
)
def test_what_isn_t_certain_keeps_the_session(old: str, new: str, reason: str) -> None:
    source = AGENT.replace(old, new)
    source = source.replace(
        "        self.y = ", "        self.v = tf.Variable([1.0])\n        self.y = ", 1
    )
    result = upgrade(source)
    assert result.level is Level.COMPAT
    assert reason in str(result.left)


def test_a_placeholder_alone_in_a_branch() -> None:
    source = """\
import sys

import tensorflow as tf

weighted = len(sys.argv) > 1
x = tf.placeholder(tf.float32, [None])
if weighted:
    w = tf.placeholder(tf.float32, [None])
if weighted:
    z = x * w
    y = tf.sqrt(z)
else:
    y = tf.sqrt(x)
with tf.Session() as sess:
    if weighted:
        print(sess.run(y, {x: [1.0], w: [2.0]}))
    else:
        print(sess.run(y, {x: [1.0]}))
"""
    text = native(source)
    assert (
        "\nx = tf.TensorSpec([None], tf.float32)\nw = tf.TensorSpec([None], tf.float32)\n" in text
    )


BEFORE = """\
import sys

import tensorflow as tf

flag = len(sys.argv) > 1
x = tf.placeholder(tf.float32, [None])
k = tf.placeholder(tf.float32, [])
h = tf.square(x)
if flag:
    h = h * FACTOR
    z = h + 1.0
else:
    z = tf.square(x)
    z = z + 1.0
y = z + x
with tf.Session() as sess:
    print(sess.run(h, {x: [1.0]}))
"""


def test_a_name_that_the_other_way_leaves_as_it_was() -> None:
    assert "if flag:\n        h = h * 2.0\n" in native(BEFORE.replace("FACTOR", "2.0"))
    result = upgrade(BEFORE.replace("FACTOR", "k"))
    assert result.level is Level.COMPAT
    assert "`k` is needed here and not fed" in str(result.left)


def test_what_is_fed_and_needed_by_the_other_way_is_taken() -> None:
    source = AGENT.replace(
        "self.sess.run(self.train, {self.x: x})",
        "return self.sess.run(\n"
        "            [self.train, self.loss], {self.x: x, self.rate: x[0][0]})",
    )
    text = native(source)
    assert text.count('if CONFIG["kind"] == "penalty":') == 2
