"""Variables that a branch makes, or doesn't: in lists, in Savers, beside tensors."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf

OWN = len(sys.argv) > 1
x = tf.placeholder(tf.float32, [4, 3])
w = tf.get_variable("w", [3, 2])
{branch}
loss = tf.reduce_mean(tf.square(tf.matmul(tf.matmul(x, w), v)))
variables = tf.trainable_variables()
optimizer = tf.train.GradientDescentOptimizer(0.1)
train = optimizer.apply_gradients(zip(tf.gradients(loss, variables), variables))
{saver}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {{x: np.ones([4, 3])}})[0])
{save}"""

TIED = """\
if {test}:
    v = tf.transpose(w)
else:  # of its own
    v = tf.get_variable("v", [2, 3])
"""


def program(branch: str, *, saved: bool = False) -> str:
    saver = "saver = tf.train.Saver()" if saved else ""
    save = '    saver.save(sess, "/tmp/m")\n' if saved else ""
    return PROGRAM.format(branch=branch, saver=saver, save=save)


def test_a_variable_or_a_tensor() -> None:
    text = after(program(TIED.format(test="not OWN")))
    assert "# of its own\nif OWN:\n    v_variable = tf.Variable(" in text
    assert "v = tf.transpose(w) if not OWN else v_variable" in text
    assert "[w, *([v_variable] if OWN else [])]" in text


def test_a_saver_has_it_in_a_list() -> None:
    text = after(program(TIED.format(test="not OWN"), saved=True))
    assert "tf.train.Checkpoint(w=w, v_variable=[v_variable] if OWN else []" in text


@pytest.mark.parametrize(
    ("branch", "reason"),
    [
        # The arguments may be others by then.
        (TIED.format(test="len(sys.argv) > 2"), "a variable on one way, a tensor on another"),
        ("OWN = not OWN\n" + TIED.format(test="OWN"), "some of which have no name"),
        (
            'if len(sys.argv) > 2:\n    v = tf.get_variable("v", [2, 3])\n',
            "some of which have no name",
        ),
    ],
)
def test_a_condition_that_may_mean_something_else_keeps_the_session(
    branch: str, reason: str
) -> None:
    assert reason in stopped(program(branch))


def test_a_saver_of_what_one_way_makes() -> None:
    branch = 'if len(sys.argv) > 2:\n    v = tf.get_variable("v", [2, 3])\n'
    text = program(branch, saved=True).replace("tf.trainable_variables()", "[w]")
    assert "a Saver of `v`, which a branch may make" in stopped(text)


def test_a_saver_of_what_both_ways_make() -> None:
    branch = (
        'if len(sys.argv) > 2:\n    v = tf.get_variable("v", [2, 3])\n'
        'else:\n    v = tf.get_variable("u", [2, 3])\n'
    )
    text = after(program(branch, saved=True).replace("tf.trainable_variables()", "[w]"))
    assert "tf.train.Checkpoint(w=w, v=v, optimizer=optimizer)" in text


METHODS = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.first()
        self.second()
        self.train()

    def first(self):
        w = tf.get_variable("w", [3, 2])
        self.h = tf.matmul(self.x, w)

    def second(self):
        v = tf.get_variable("v", [2, 1])
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.h, v)))

    def train(self):
        variables = tf.trainable_variables()
        gradients = tf.gradients(self.loss, variables)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        self.step = optimizer.apply_gradients(zip(gradients, variables))


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([net.loss, net.step], {net.x: np.ones([4, 3])})[0])
"""


def test_local_variables_of_several_methods() -> None:
    assert "variables = [self.w, self.v]" in after(METHODS)
