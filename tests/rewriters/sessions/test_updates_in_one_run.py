"""One optimizer that updates twice in one run."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

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


MADE_IN_PLACE = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
b = tf.Variable(tf.zeros([1]))
one = tf.train.GradientDescentOptimizer(0.1).minimize(-tf.reduce_mean(tf.matmul(x, w)), None, [w])
two = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(tf.square(b - x)), var_list=[b])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([one, two], {x: [[1., 2.]]})
"""


def test_losses_that_are_made_in_place_have_names_of_their_own() -> None:
    text = after(MADE_IN_PLACE)
    assert "loss = -tf.reduce_mean(tf.matmul(x, w))\n" in text
    assert "loss_2 = tf.reduce_mean(tf.square(b - x))\n" in text
    assert "tape.gradient(loss_2, " in text


LISTS = """\
pairs = opt.compute_gradients(loss, [b])
three = opt.apply_gradients(pairs)
with tf.Session() as sess:
"""


def test_a_list_of_variables_is_kept_until_its_gradients_are_applied() -> None:
    source = program("MomentumOptimizer(0.1, 0.9)", "sess.run([one, three], {x: [[1., 2.]]})")
    text = after(source.replace("with tf.Session() as sess:\n", LISTS))
    names = [line.split(" = ")[0].strip() for line in text.splitlines() if " = [" in line]
    assert len(set(names)) == len(names) == 2


REUSED = """\
pairs = opt.compute_gradients(loss, [w])
one = opt.apply_gradients(pairs)
pairs = opt.compute_gradients(loss, [b])
pairs = [(tf.clip_by_value(g, -1., 1.), v) for g, v in pairs]
two = opt.apply_gradients(pairs)
"""
IN_PLACE = "one = opt.minimize(loss, var_list=[w])\ntwo = opt.minimize(loss, var_list=[b])\n"


def test_gradients_under_one_name_get_their_own() -> None:
    source = program("MomentumOptimizer(0.1, 0.9)", BOTH)
    assert IN_PLACE in source
    text = after(source.replace(IN_PLACE, REUSED))
    applied = [line.strip() for line in text.splitlines() if "apply_gradients(" in line]
    assert applied == ["opt.apply_gradients(pairs)", "opt.apply_gradients(pairs3)"]
    assert "pairs3 = [(tf.clip_by_value(g, -1., 1.), v) for g, v in pairs2]\n" in text
