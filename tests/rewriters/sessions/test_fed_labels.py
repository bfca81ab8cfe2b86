"""Labels that are only fed need no stop of their gradient."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.judged import names_of
from migrate.engine.source import apply
from migrate.rewriters.sessions.convert import convert

PROGRAM = """\
import tensorflow as tf


def cost_of(logits, labels):
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))


x = tf.placeholder(tf.float32, [None, 3])
y = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([3, 2]))
logits = tf.matmul(x, w)
cost = cost_of(logits, y)
train = tf.train.GradientDescentOptimizer(0.1).minimize(cost)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, cost], {x: [[1., 2., 3.]], y: [[0., 1.]]})[1])
"""
NEW, OLD = "TF2.nn.softmax_cross_entropy_with_logits(", "tf.nn.softmax_cross_entropy_with_logits("


def _convert(old: str = "", new: str = "") -> str:
    document = read("program.py", PROGRAM.replace(old, new).encode())
    return apply(document.text, convert(document, names_of(document), "TF2").edits)


def test_labels_that_are_fed_are_taken_as_they_are() -> None:
    text = _convert()
    assert NEW in text
    assert OLD not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cost_of(logits, y)", "cost_of(logits, y) + cost_of(logits, tf.nn.softmax(logits))"),
        ("cost_of(logits, y)", "cost_of(logits, tf.nn.softmax(logits)) + cost_of(logits, y)"),
        ("cost_of(logits, y)", "cost_of(logits, y * tf.reduce_sum(w))"),
        ("train =", "slope = tf.gradients(cost, y)\ntrain ="),
    ],
)
def test_labels_that_something_flows_back_to_stay_stopped(old: str, new: str) -> None:
    text = _convert(old, new)
    assert OLD in text
    assert NEW not in text
