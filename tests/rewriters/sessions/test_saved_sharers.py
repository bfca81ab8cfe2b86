"""A Saver of two objects that share their variables, and a state that is fed part by part."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self, size, infer=False):
        if infer:
            self.batch, self.length = 1, 1
        else:
            self.batch = 2
            self.length = 3
        self.cell = tf.contrib.rnn.BasicLSTMCell(size)
        self.state = self.cell.zero_state(self.batch, tf.float32)
        self.x = tf.placeholder(tf.float32, [self.batch, self.length, 4])
        with tf.variable_scope('vars'):
            w = tf.get_variable('w', [size, 5])
        outputs, self.last = tf.nn.dynamic_rnn(self.cell, self.x, initial_state=self.state)
        self.out = tf.matmul(tf.reshape(outputs, [-1, size]), w)
        self.cost = tf.reduce_sum(self.out) / (self.batch * self.length)
        grads = tf.gradients(self.cost, tf.trainable_variables())
        adam = tf.train.AdamOptimizer(0.01)
        self.train = adam.apply_gradients(zip(grads, tf.trainable_variables()))

    def sample(self, sess):
        return sess.run(self.out, {self.x: np.ones([1, 1, 4])})

    def step(self, sess):
        sess.run(self.train, {self.x: np.ones([self.batch, self.length, 4])})


model = Model(6)
with tf.variable_scope(tf.get_variable_scope(), reuse=True):
    test = Model(6, infer=True)
saver = tf.train.Saver(tf.global_variables())
sess = tf.Session()
sess.run(tf.global_variables_initializer())
state = sess.run(model.state)
for i in range(4):
    feed = {model.x: np.ones([2, 3, 4])}
    c, h = model.state
    feed[c] = state.c
    feed[h] = state.h
    state, _ = sess.run([model.last, model.train], feed_dict=feed)
    print(test.sample(sess))
    saver.save(sess, './model', global_step=i)
"""


def test_the_first_object_is_saved() -> None:
    text = after(PROGRAM)
    assert "tf.train.Checkpoint(w=model.w, cell=model.cell, adam=model.adam)" in text
    assert "test = Model(6, infer=True, shared=model)" in text


@pytest.mark.parametrize(
    "line", ["test.step(sess)", "sess.run(test.train, {test.x: [[[1.0] * 4]]})"]
)
def test_the_second_object_trains(line: str) -> None:
    assert "a Saver of several" in stopped(
        PROGRAM.replace("    print(test", f"    {line}\n    print(test")
    )


def test_the_first_object_trains_by_a_method() -> None:
    text = after(PROGRAM.replace("    print(test", "    model.step(sess)\n    print(test"))
    assert "    model.step()\n" in text


def test_an_object_that_others_have() -> None:
    program = PROGRAM.replace("    print(test", "    model.step(sess)\n    print(test")
    assert stopped(program.replace("for i in", "both = [model, test]\nfor i in"))


def test_parts_of_a_state() -> None:
    text = after(PROGRAM)
    assert "c, h = model.state" not in text
    assert "state = state\n" not in text
    assert '    feed["state"] = state\n' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("feed[h] = state.h", "feed[h] = state.h\n    print(h)"),
        ("feed[h] = state.h", "feed[h] = other.h"),
        ("feed[h] = state.h", "print('fed')"),
        ("feed[c] = state.c", "feed[c] = state.h"),
    ],
)
def test_parts_that_are_read_otherwise(old: str, new: str) -> None:
    program = PROGRAM.replace(
        "state = sess.run(model.state)\n", "state = other = sess.run(model.state)\n"
    )
    assert stopped(program.replace(old, new))
