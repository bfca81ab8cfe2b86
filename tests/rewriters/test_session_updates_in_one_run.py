"""One optimizer that updates twice in one run."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
b = tf.Variable(tf.zeros([1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.))
opt = tf.train.OPTIMIZER
one = opt.minimize(loss, var_list=[w])
two = opt.minimize(loss, var_list=[b])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    RUN
"""
BOTH = "sess.run([one, two], {x: [[1., 2.]]})"
IN_TURN = "sess.run(one, {x: [[1., 2.]]})\n    sess.run(two, {x: [[1., 2.]]})"


def program(optimizer: str, run: str) -> str:
    return PROGRAM.replace("OPTIMIZER", optimizer).replace("RUN", run)


def test_each_update_has_gradients_of_its_own() -> None:
    text = after(program("GradientDescentOptimizer(0.1)", BOTH))
    assert "opt.apply_gradients(zip(opt_gradients, opt_variables))\n" in text
    assert "opt.apply_gradients(zip(opt_gradients_2, opt_variables_2))\n" in text


@pytest.mark.parametrize("optimizer", ["AdamOptimizer()", "AdamOptimizer(1e-3, beta1=0.5)"])
def test_adam_has_an_order_that_tf1_doesnt_tell(optimizer: str) -> None:
    assert "updates twice in one run" in stopped(program(optimizer, BOTH))


def test_adam_in_one_run_after_the_other() -> None:
    assert "tf.keras.optimizers.Adam(" in after(program("AdamOptimizer()", IN_TURN))


GROUP = """\
gradients = opt.compute_gradients(loss, [w])
both = tf.group(opt.apply_gradients(gradients), opt.minimize(loss, var_list=[b]))
with tf.Session() as sess:
"""


def test_gradients_are_applied_in_a_group() -> None:
    source = program("MomentumOptimizer(0.1, 0.9)", "sess.run(both, {x: [[1., 2.]]})")
    text = after(source.replace("with tf.Session() as sess:\n", GROUP))
    assert text.count("opt.apply_gradients(") == 2
