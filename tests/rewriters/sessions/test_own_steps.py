"""A variable of the program's own that has the global step's name is the global step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.step = tf.Variable(0, name={name!r}, trainable=False)
        self.loss = tf.reduce_mean(tf.layers.dense(self.x, 1))
        {train}


model = Model()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(model.train, {{model.x: [[1.0, 2.0, 3.0]]}})
    result = sess.run(model.step)
"""
MINIMIZE = "tf.train.AdamOptimizer().minimize(self.loss, tf.train.get_or_create_global_step())"
TRAIN = [
    f"self.train = {MINIMIZE}",
    f"self._train()\n\n    def _train(self):\n        self.train = {MINIMIZE}",
    "self.train = tf.contrib.slim.learning.create_train_op(\n"
    "            self.loss, tf.train.AdamOptimizer())",
]


@pytest.mark.parametrize("train", TRAIN)
def test_an_attribute_is_counted_on(train: str) -> None:
    known: dict[str, Any] = {}
    exec(after(PROGRAM.format(name="global_step", train=train)), known)
    assert int(known["result"]) == 1  # TF 1.15.5's


@pytest.mark.parametrize("train", TRAIN)
def test_one_of_another_name_is_not(train: str) -> None:
    known: dict[str, Any] = {}
    exec(after(PROGRAM.format(name="step", train=train)), known)
    assert int(known["result"]) == 0


def test_one_that_has_no_name_where_it_is_found() -> None:
    source = PROGRAM.format(name="global_step", train="pass")
    train = MINIMIZE.replace("self", "model")
    source = source.replace("model = Model()\n", f"model = Model()\ntrain = {train}\n")
    assert "a global step that is found again" in stopped(source.replace("model.train", "train"))


NONE = PROGRAM.replace("        self.step = tf.Variable(0, name={name!r}, trainable=False)\n", "")
NONE = NONE.replace("    result = sess.run(model.step)\n", "").format(
    train="self.train = tf.train.AdamOptimizer().minimize(\n"
    "            self.loss, global_step=tf.contrib.framework.get_global_step())"
)


def test_a_program_without_a_global_step_finds_none() -> None:
    text = after(NONE)
    assert "global_step" not in text
    assert "iterations" not in text


@pytest.mark.parametrize("name", ["global_step", "my_global_step"])
def test_one_that_may_be_there_isnt_none(name: str) -> None:
    source = NONE.replace(
        "        self.loss =",
        f"        tf.Variable(0, name={name!r}, trainable=False)\n        self.loss =",
    )
    assert "global step" in stopped(source)


TWICE = """\
import tensorflow as tf


def make_train_op(loss):
    global_step = tf.train.get_or_create_global_step()
    return tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)


def main():
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(1.0, name='w')
    loss = tf.reduce_mean(tf.square(w * x - 2.0))
    train_op = make_train_op(loss)
    with tf.Session() as sess:
        writer = tf.summary.FileWriter('log', sess.graph)
        sess.run(tf.global_variables_initializer())
        global_step = tf.train.get_global_step(sess.graph)
        for _ in range(3):
            _, step = sess.run([train_op, global_step], {x: [1.0, 2.0]})
            print(step)


main()
"""


def test_a_second_name_for_the_global_step_is_the_only_one() -> None:
    text = after(TWICE)
    assert "    global_step = tf.Variable(0, trainable=False" in text
    assert "        global_step.assign_add(1)\n        return global_step.read_value()\n" in text
    assert text.count("global_step = ") == 1


def test_a_function_isnt_traced_for_its_graph_before_what_it_reads() -> None:
    bound = TWICE.replace("    w = ", "    global_step = 'none'\n    print(global_step)\n    w = ")
    text = after(bound)
    assert "summary.graph" not in text
    assert "global_step" in text
