"""Summaries of an object that another one keeps: the object merges them itself."""

from __future__ import annotations

import textwrap

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf


class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.zeros([3, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.step = tf.train.GradientDescentOptimizer(0.2).minimize(self.loss)
        tf.summary.scalar("loss", self.loss)


class Trainer:
    def __init__(self):
        self.net = Net()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, x):
        merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter("log")
        for i in range(3):
            _, summary = self.sess.run([self.net.step, merged], {self.net.x: x})
            writer.add_summary(summary, i)


Trainer().train([[1.0, 2.0, 3.0]])
"""


def test_they_are_a_part_of_its_step() -> None:
    text = after(SOURCE)
    assert "merged = tf.summary.merge_all()" not in text
    assert "summary = self.net.train_step(x)" in text
    assert "'loss': loss" in text or '"loss": loss' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # more than the object's own
        ("        merged = ", "        tf.summary.scalar('x', tf.reduce_sum(self.net.x))\n"
         "        merged = "),
        # another object by then
        ("        self.sess = tf", "        self.net = Net()\n        self.sess = tf"),
        ("Trainer().train", "trainer = Trainer()\ntrainer.net = Net()\ntrainer.train"),
        # it has something of that name
        ("        self.w = tf", "        self.merged = 3\n        self.w = tf"),
    ],
)  # fmt: skip
def test_what_else_is_merged_keeps_the_session(old: str, new: str) -> None:
    assert old in SOURCE
    stopped(SOURCE.replace(old, new))


METHODS = """\
import tensorflow as tf


class Net:
    def __init__(self, sess):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.w = tf.Variable(tf.zeros([3, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w) - 1.0))
        self.step = tf.train.GradientDescentOptimizer(0.2).minimize(self.loss)
        self.loss_summary = tf.summary.scalar("loss", self.loss)

    def train(self, x):
        self.merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter("log")
        self.sess.run(tf.global_variables_initializer())
        for i in range(3):
            _, summary = self.sess.run([self.step, self.merged], {self.x: x})
            writer.add_summary(summary, i)


with tf.Session() as sess:
    net = Net(sess)
    net.train([[1.0, 2.0, 3.0]])
"""


def test_the_last_summary_of_an_object_may_have_a_name() -> None:
    text = after(METHODS)
    assert "merge_all" not in text
    assert "summary = self.train_step(x)" in text


AT_EVERY_CALL = textwrap.dedent("""\
    import numpy as np
    import tensorflow as tf

    class Net(object):
        def __init__(self):
            self.x = tf.placeholder(tf.float32, [None])
            self.w = tf.Variable(1.0)
            self.cost = tf.reduce_mean(self.x * self.w)
            tf.summary.scalar("cost", self.cost)

        def log(self, sess, writer, x):
            merged = tf.summary.merge_all()
            summary = sess.run(merged, {self.x: x})
            writer.add_summary(summary, 1)

    net = Net()
    sess = tf.Session()
    writer = tf.summary.FileWriter("logs")
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        net.log(sess, writer, np.ones(3))
""")


def test_summaries_that_a_method_merges_at_every_call() -> None:
    text = after(AT_EVERY_CALL)
    assert "summary = self.compute_merged(x)" in text
    assert "def log(self, writer, x)" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("net = Net()\n", "net = Net()\ntf.summary.scalar('w', net.w)\n"),
        ("    merged = tf", "    merged = 0\n        merged = tf"),
        ("self.w = ", "self.merged = self.w = "),
    ],
)
def test_summaries_of_others_and_other_names(old: str, new: str) -> None:
    assert stopped(AT_EVERY_CALL.replace(old, new))
