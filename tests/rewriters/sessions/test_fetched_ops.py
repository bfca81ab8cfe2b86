"""Train ops and assignments that are made in what a run fetches."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.zeros([2, 1]))
v = tf.Variable(0.0)
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
opt = tf.train.GradientDescentOptimizer(0.1)
pairs = opt.compute_gradients(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
LOOP = "for i in range(3):\n    "


@pytest.mark.parametrize(
    "run",
    [
        "sess.run(opt.apply_gradients(pairs), {x: [[1.0, 2.0]]})",
        "sess.run(opt.minimize(loss), {x: [[1.0, 2.0]]})",
        "opt.minimize(loss).run({x: [[1.0, 2.0]]}, session=sess)",
        "_, c = sess.run([opt.minimize(loss), loss], {x: [[1.0, 2.0]]})",
    ],
)
@pytest.mark.parametrize("around", ["", LOOP])
def test_a_step_that_is_made_where_it_is_run_is_taken(run: str, around: str) -> None:
    text = after(HEAD + around + run + "\nprint(sess.run(w))\n")
    assert text.count("opt.apply_gradients(") == 1


def test_a_step_of_what_the_loop_binds_keeps_the_session() -> None:
    run = "for part in [loss, 2.0 * loss]:\n    sess.run(opt.minimize(part), {x: [[1.0, 2.0]]})\n"
    assert stopped(HEAD + run)


def test_several_assignments_get_names() -> None:
    text = after(HEAD + "sess.run([tf.assign(v, 2.0), v.assign_add(1.0)])\nprint(sess.run(v))\n")
    assert "    v.assign(2.0)\n    v.assign_add(1.0)\n" in text
    assert "Session" not in text


def test_assignments_of_what_the_loop_binds_keep_the_session() -> None:
    run = f"{LOOP}sess.run([tf.assign(v, float(i)), tf.assign_add(v, 1.0)])\n"
    assert stopped(HEAD + run)


def test_an_optimizer_whose_step_another_method_makes_stays() -> None:
    text = after("""\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.zeros([2, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w) - 1.0))
        self.opt = tf.train.GradientDescentOptimizer(0.1)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def train(self, data):
        step = self.opt.minimize(self.loss)
        for i in range(3):
            self.sess.run(step, feed_dict={self.x: data})


Net().train([[1.0, 2.0]])
""")
    assert "        self.opt = tf.keras.optimizers.SGD(0.1)\n" in text
    assert "self.opt.apply_gradients(" in text
