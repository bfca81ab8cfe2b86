"""Variables that each object lists of its own scope."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, name):
        self.name = name
        with tf.variable_scope(self.name):
            self.x = tf.placeholder(tf.float32, [None, 3])
            h = tf.layers.dense(self.x, 4, tf.tanh, name='hidden')
            w = tf.get_variable('w', [4, 1])
            self.out = tf.matmul(h, w)
        self.loss = tf.reduce_mean(tf.square(self.out - 1.))
        self.params = tf.trainable_variables(scope=self.name)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.train_op = optimizer.minimize(self.loss, var_list=self.params)


first, second = Net('one'), Net('two')
data = np.ones([2, 3])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([first.train_op, first.loss], {first.x: data})[1])
    print(sess.run([second.train_op, second.loss], {second.x: data})[1])
"""
COLLECTION = "tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self.name)"
BEGINS = "an object's scope, as which another name may begin"


@pytest.mark.parametrize("listed", ["tf.trainable_variables(scope=self.name)", COLLECTION])
def test_each_object_has_its_own(listed: str) -> None:
    text = after(SOURCE.replace("tf.trainable_variables(scope=self.name)", listed))
    assert "params = [*h_layer.trainable_variables, w]" in text
    assert "gradients = tape.gradient(loss, params)" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        # TF 1 looks for names that begin so.
        ("Net('two')", "Net('one_two')", BEGINS),
        ("Net('two')", "Net('one')", BEGINS),
        ("first, second", "g = tf.get_variable('one_g', [1])\nfirst, second", BEGINS),
        ("Net('two')", "Net('t.o')", "the variables of scopes that match a pattern"),
        ("Net('two')", "Net(input())", "the variables of a scope whose name is computed"),
        # It finds what isn't in the scope that it asks for.
        (
            "        self.loss =",
            "        self.v = tf.get_variable('v_' + self.name, [1])\n        self.loss =",
            "the variables of a scope whose name is computed",
        ),
    ],
)
def test_names_that_begin_alike_keep_the_session(old: str, new: str, reason: str) -> None:
    assert reason in stopped(SOURCE.replace(old, new, 1))


COPY = """\

def copy(sess, source, other):
    ours = [v for v in tf.trainable_variables() if v.name.startswith(source.name)]
    theirs = [v for v in tf.trainable_variables() if v.name.startswith(other.name)]
    copies = [t.assign(o) for o, t in zip(ours, theirs)]
    sess.run(copies)


first, second = Net('one'), Net('two')
data = np.ones([2, 3])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        copy(sess, first, second)
        print(sess.run([first.train_op, first.loss], {first.x: data})[1])
        print(sess.run(second.loss, {second.x: data}))
"""
OUTSIDE = SOURCE[: SOURCE.index("\nfirst, second")] + COPY


def test_a_function_finds_the_variables_of_an_object() -> None:
    text = after(OUTSIDE)
    assert "ours = [*source.h_layer.trainable_variables, source.w]" in text
    assert "theirs = [*other.h_layer.trainable_variables, other.w]" in text
    assert "for o, t in zip(ours, theirs):\n        t.assign(o)\n" in text


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Net('two')", "Net('one_two')", BEGINS),
        ("first, second", "g = tf.get_variable('two_g', [1])\nfirst, second", BEGINS),
        ("Net('two')", "Net(input())", "the variables of a scope whose name is computed"),
        (
            "        self.loss =",
            "        self.v = tf.get_variable('v_' + self.name, [1])\n        self.loss =",
            "the variables of a scope whose name is computed",
        ),
    ],
)
def test_a_function_may_find_more_than_an_object_has(old: str, new: str, reason: str) -> None:
    listed = "        self.params = tf.trainable_variables(scope=self.name)\n"
    source = OUTSIDE.replace(listed, "").replace(", var_list=self.params", "")
    assert "self.w]" not in after(source)
    assert reason in stopped(source.replace(old, new, 1))
