"""Summaries that layers make in a program without a writer."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Dense(object):
    def __init__(self, name, n, m, logging=False):
        self.name = name
        self.logging = logging
        self.vars = {'w': tf.Variable(tf.ones([n, m]))}
        if self.logging:
            self._log_vars()

    def __call__(self, inputs):
        if self.logging:
            tf.summary.histogram(self.name + '/inputs', inputs)
        outputs = tf.matmul(inputs, self.vars['w'])
        if self.logging:
            tf.summary.histogram(self.name + '/outputs', outputs)
        return outputs

    def _log_vars(self):
        for var in self.vars:
            tf.summary.histogram(self.name + '/vars/' + var, self.vars[var])


x = tf.placeholder(tf.float32, [None, 3])
layers = [Dense('a', 3, 4), Dense('b', 4, 2, logging=True)]
h = x
for layer in layers:
    h = layer(h)
loss = tf.reduce_mean(tf.square(h))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(3):
    print(sess.run([step, loss], {x: np.ones([2, 3])})[1])
"""


def test_they_go_with_what_only_makes_them() -> None:
    found = after(PROGRAM)
    assert "summary" not in found
    assert "_log_vars" not in found
    assert "    def __call__(self, inputs):\n        outputs = tf.matmul(" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sess = tf.Session()\n", "merged = tf.summary.merge_all()\nsess = tf.Session()\n"),
        ("sess = tf.Session()\n", "found = tf.get_collection('summaries')\nsess = tf.Session()\n"),
        ("            self._log_vars()\n", "            self.logged = self._log_vars()\n"),
        ("        return outputs\n", "        return outputs + tf.summary.scalar('a', 1.)\n"),
        ("inputs)\n        outputs", "self.shown(inputs))\n        outputs"),
    ],
)
def test_what_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert stopped(PROGRAM.replace(old, new, 1))
