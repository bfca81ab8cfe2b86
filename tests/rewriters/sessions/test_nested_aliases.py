"""Names that loops and branches give to parts of an object's graph, and updates of its scope."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf


class Net:
    def __init__(self, name):
        with tf.variable_scope(name):
            self.x = tf.placeholder(tf.float32, [None, 2])
            self.on = tf.placeholder(tf.bool)
            h = tf.layers.batch_normalization(self.x, training=self.on)
            self.loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1)))
            self.low = tf.reduce_min(h)
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope=name)
            with tf.control_dependencies(updates):
                self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


class Runner:
    def __init__(self, sess, net):
        self.sess = sess
        self.net = net

    def train(self, x):
        self.sess.run(self.net.step, {self.net.x: x, self.net.on: True})

"""
LOOK = """\
    def look(self, x, size):
        if size:
            for i in range(size):
                feed = {self.net.x: x, self.net.on: False}
                loss = self.net.loss
                found = self.sess.run([loss, self.net.low], feed)
            return found
        else:
            feed = {self.net.x: x, self.net.on: False}
            loss = self.net.loss
            return self.sess.run(loss, feed)


"""
MAIN = """\
sess = tf.Session()
one = Net("one")
two = Net("two")
runners = [Runner(sess, one), Runner(sess, two)]
sess.run(tf.global_variables_initializer())
for runner in runners:
    runner.train([[1.0, 2.0]])
    print(runner.look([[1.0, 2.0]], 2), runner.look([[1.0, 2.0]], 0))
"""


def test_they_are_what_they_name() -> None:
    text = after(NET + LOOK + MAIN)
    assert "loss = self.net.loss" not in text
    assert "found = [t.numpy() for t in self.net.compute_loss_and_low(**feed)]" in text
    assert "return self.net.compute_loss(**feed).numpy()" in text
    assert "momentum=1" not in text  # the averages are updated


def test_another_part_of_the_graph_in_the_other_branch() -> None:
    low = "            loss = self.net.low\n            return"
    text = after(
        NET + LOOK.replace("            loss = self.net.loss\n            return", low) + MAIN
    )
    assert "return self.net.compute_low(**feed).numpy()" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # one of two
        ("                loss = self.net.loss\n",
         "                loss = self.net.loss\n                if i:\n"
         "                    loss = self.net.low\n"),
        # another object by then
        ("        if size:\n",
         "        if size > 9:\n            self.net = two\n        if size:\n"),
        # the block would be empty
        ("                loss = self.net.loss\n", "                if size:\n"
         "                    loss = self.net.loss\n"),
    ],
)  # fmt: skip
def test_names_that_may_mean_something_else_keep_the_session(old: str, new: str) -> None:
    stopped(NET + LOOK.replace(old, new) + MAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('Net("two")', 'Net("one_more")'),  # TF 1 looks for beginnings
        ("scope=name)", "scope=name[:1])"),
        (
            "            h = tf.layers.batch_normalization(self.x, training=self.on)",
            "            pass\n        h = tf.layers.batch_normalization(self.x, "
            "training=self.on)\n        with tf.variable_scope(name + '_top'):",
        ),
    ],
)
def test_updates_that_may_be_of_another_scope_keep_it(old: str, new: str) -> None:
    stopped((NET + LOOK + MAIN).replace(old, new))


def test_a_feed_that_says_something_else_in_a_branch() -> None:
    feed = "            feed = {self.net.x: x, self.net.on: False}\n            loss"
    told = LOOK.replace(feed, feed.replace("False", "True"))
    assert told != LOOK
    text = after(NET + told + MAIN)
    assert text.count("    with averages_kept():\n") == 2
    assert "averages_kept" not in text[text.index("def train_step") :]
