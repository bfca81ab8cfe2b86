"""Update ops that are added to a list of fetches."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
on = tf.placeholder(tf.bool)
h = tf.layers.batch_normalization(tf.layers.dense(x, 2), training=on)
loss = tf.reduce_mean(tf.square(h - 1.0))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
ups = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
names = [loss]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    {run}
    print(sess.run(loss, {{x: [[1, 2, 3]], on: False}}))
"""
FEED = "{x: [[1, 2, 3]], on: True}"


@pytest.mark.parametrize(
    "run", ["sess.run([train] + ups, FEED)", "value = sess.run([train, loss] + ups, FEED)[1]"]
)
def test_they_are_one_more_fetch(run: str) -> None:
    text = after(PROGRAM.format(run=run.replace("FEED", FEED)))
    assert "train_step(" in text
    assert "momentum=1.0" not in text  # the run updates the averages


@pytest.mark.parametrize(
    "run",
    [
        "values = sess.run([train, loss] + ups, FEED)",
        "value = sess.run([train, loss] + ups, FEED)[-1]",
        "value = sess.run(ups + [train, loss], FEED)[1]",
        "sess.run([train] + names, FEED)",
    ],
)
def test_other_lists_and_places_stay(run: str) -> None:
    assert "expression of" in stopped(PROGRAM.format(run=run.replace("FEED", FEED)))


ASKED = "tf.get_collection(tf.GraphKeys.UPDATE_OPS)"


@pytest.mark.parametrize(
    "fetches", [f"[train] + {ASKED}", f"[train, {ASKED}]", f"(train, {ASKED})"]
)
def test_a_loop_that_asks_for_them(fetches: str) -> None:
    run = f"for _ in range(3):\n        sess.run({fetches}, {FEED})"
    text = after(PROGRAM.format(run=run))
    assert "\n    train_step(" in text
    assert "momentum=1.0" not in text
    assert "get_collection" not in text


def test_a_loop_that_makes_some_stays() -> None:
    made = "h = tf.layers.batch_normalization(x, training=on)"
    run = f"for _ in range(1):\n        {made}\n        sess.run([train, {ASKED}], {FEED})"
    stopped(PROGRAM.format(run=run))


LISTS = """\
import tensorflow as tf


class Machine:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None])
        self.w = tf.Variable(0.0)
        self.b = tf.Variable(0.0)
        self.updates = None
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def build(self):
        update_w = self.w.assign_add(tf.reduce_sum(self.x))
        update_b = self.b.assign(tf.reduce_max(self.x))
        self.updates = [update_w]
        self.others = [update_b]

    def fit(self, x):
        {run}

    def found(self):
        return self.sess.run([self.w, self.b])


machine = Machine()
machine.fit([1.0, 2.0])
print(machine.found())
"""


@pytest.mark.parametrize(
    "run",
    ["self.sess.run(FETCHES, {self.x: x})", "self.sess.run(FETCHES, feed_dict={self.x: x})"],
)
@pytest.mark.parametrize(
    "fetches", ["self.updates + self.others", "[self.updates, self.others]", "self.updates"]
)
def test_lists_of_an_objects_ops_are_run_together(run: str, fetches: str) -> None:
    text = after(LISTS.replace("{run}", run.replace("FETCHES", fetches)))
    assert "            self.w.assign_add(tf.reduce_sum(x))\n" in text
    assert ("            self.b.assign(tf.reduce_max(x))\n" in text) == ("others" in fetches)


def test_results_of_added_lists_stay() -> None:
    run = "print(self.sess.run(self.updates + self.others, {self.x: x}))"
    assert "an expression of fetches isn't followed" in stopped(LISTS.replace("{run}", run))
