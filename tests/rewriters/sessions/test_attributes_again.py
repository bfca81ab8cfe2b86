"""An attribute that `__init__` gives to one variable after the other."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.step = tf.Variable(0, trainable=False, name="step")
        self.epoch = tf.Variable(0, trainable=False, name="epoch")
        self.next_epoch = tf.assign(self.epoch, tf.add(self.epoch, tf.constant(1)))
        self.rate = 0.1
        self.epoch = tf.Variable(5, trainable=False, name="epoch")
        self.w = tf.Variable(tf.ones([2, 1]))
        self.loss = tf.reduce_mean(tf.matmul(self.x, self.w))
        self.train = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss, self.step)


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        print(sess.run([model.loss, model.train], {model.x: [[1.0, 2.0]]})[0])
        sess.run(model.next_epoch)
    print(sess.run(model.epoch))
"""


def test_the_first_one_has_a_name_of_its_own() -> None:
    text = after(PROGRAM)
    assert 'self.first_epoch = tf.Variable(0, trainable=False, name="epoch")\n' in text
    assert 'self.epoch = tf.Variable(5, trainable=False, name="epoch")\n' in text
    assert "self.first_epoch.assign(tf.add(self.first_epoch, tf.constant(1)))" in text
    assert "print(model.epoch.numpy())\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a method reads it between
        ("        self.rate = 0.1\n", "        self.rate = self.start()\n"),
        # something else is given the object
        ("        self.rate = 0.1\n", "        self.rate = 0.1\n        show(self)\n"),
        # it is bound a third time
        (
            "        self.w = ",
            "        self.epoch = tf.Variable(7, trainable=False)\n        self.w = ",
        ),
        # in a branch
        (
            "        self.epoch = tf.Variable(5",
            "        if self.rate:\n            self.epoch = tf.Variable(5",
        ),
    ],
)
def test_what_may_read_either_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    program = PROGRAM.replace(old, new)
    more = (
        "    def start(self):\n        print(self.epoch)\n        return 0.1\n\n\nmodel = Model()"
    )
    program = program.replace("\nmodel = Model()", more) if "start" in new else program
    top = "class Model"
    program = program.replace(top, f"def show(it):\n    print(it.epoch)\n\n\n{top}")
    assert stopped(program)
