"""Towers: gradients that a loop takes, each on a device of its own."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

TOWERS = """\
import numpy as np
import tensorflow as tf


def summed(both):
    found = []
    for pairs in zip(*both):
        found.append((tf.add_n([g for g, _ in pairs]), pairs[0][1]))
    return found


x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
opt = tf.train.GradientDescentOptimizer(0.1)
both = []
for i in range(2):
    with tf.device('/gpu:%d' % i):
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - float(i)))
        both.append(opt.compute_gradients(loss))
step = tf.train.get_or_create_global_step()
train_op = opt.apply_gradients(summed(both), global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train_op, {x: np.ones([3, 2])})
"""
PAIRS = """\
            variables = [w]
            both.append(list(zip(tf.gradients(loss, variables), variables)))
"""


def test_a_loop_keeps_its_gradients_in_the_function_that_trains() -> None:
    text = after(TOWERS)
    assert "@tf.function(input_signature=[x])\ndef train_step(x):\n    both = []\n" in text
    assert "        with tf.device('/gpu:%d' % i):\n            loss" in text
    assert PAIRS in text
    assert "    opt.apply_gradients(summed(both))\n    step.assign_add(1)\n" in text


def test_what_the_original_says_of_how_to_compute_goes() -> None:
    more = "compute_gradients(loss, colocate_gradients_with_ops=True)"
    assert PAIRS in after(TOWERS.replace("compute_gradients(loss)", more))


def test_variables_of_the_authors_choice_stay() -> None:
    text = TOWERS.replace("both = []", "both = []\nmine = [w]", 1)
    text = text.replace("compute_gradients(loss)", "compute_gradients(loss, var_list=mine)")
    assert "both.append(list(zip(tf.gradients(loss, mine), mine)))" in after(text)


def test_gradients_by_variables_may_be_taken_without_an_optimizer() -> None:
    text = TOWERS.replace("opt.compute_gradients(loss)", "list(zip(tf.gradients(loss, [w]), [w]))")
    assert "both.append(list(zip(tf.gradients(loss, [w]), [w])))" in after(text)


def test_a_loop_that_goes_on_by_a_condition_keeps_the_session() -> None:
    text = TOWERS.replace("for i in range(2):", "i = 0\nwhile i < 2:")
    text = text.replace("compute_gradients(loss))", "compute_gradients(loss))\n        i += 1")
    text = text.replace("    with tf.device('/gpu:%d' % i):\n", "    if True:\n")
    assert "gradients are taken in a loop" in stopped(text)


def test_a_device_that_a_call_tells_keeps_the_session() -> None:
    text = TOWERS.replace("'/gpu:%d' % i", "devices[i]").replace(
        "x =", "devices = open('d')\nx =", 1
    )
    assert "a device that is computed" in stopped(text)


def test_a_helper_that_fills_a_list_with_pairs_is_applied() -> None:
    text = TOWERS.replace("both = []\n", "", 1)
    loop = text[text.index("for i in") : text.index("step = ")]
    text = text.replace(
        loop, "loss = tf.reduce_mean(tf.matmul(x, w))\npairs = opt.compute_gradients(loss)\n"
    )
    text = text.replace("summed(both), g", "summed([pairs]), g")
    assert "    opt.apply_gradients(summed([pairs]))\n    step.assign_add(1)\n" in after(text)


SETTER = """\
KEPT = ['Variable', 'VariableV2']


def chooser(device, ps_device='/cpu:0'):
    def choose(op):
        node_def = op if isinstance(op, tf.NodeDef) else op.node_def
        if node_def.op in KEPT:
            return '/' + ps_device
        return device

    return choose


"""


def test_a_function_that_keeps_variables_apart_is_the_towers_device() -> None:
    text = TOWERS.replace("def summed", SETTER + "def summed")
    text = text.replace("'/gpu:%d' % i", "chooser('/gpu:%d' % i, ps_device='/cpu:0')")
    new = after(text)
    assert "        with tf.device('/gpu:%d' % i):\n" in new
    assert "chooser" not in new
    assert "KEPT" not in new
    assert "import tensorflow as tf\n\n\ndef summed" in new


def test_a_function_that_does_more_than_that_keeps_the_session() -> None:
    text = TOWERS.replace("def summed", SETTER + "def summed")
    text = text.replace("'/gpu:%d' % i", "chooser('/gpu:%d' % i)")
    odd = text.replace("        return device\n", "        print(op)\n        return device\n")
    assert "a device that is computed" in stopped(odd)
    odd = text.replace("node_def.op in KEPT", "len(node_def.input) > 1")
    assert "a device that is computed" in stopped(odd)
    odd = text.replace("'VariableV2'", "'MatMul'")
    assert "a device that is computed" in stopped(odd)


INSIDE = TOWERS.replace("opt = tf.train.GradientDescentOptimizer(0.1)\n", "RATE = 0.1\n").replace(
    "        both.append",
    "        opt = tf.train.GradientDescentOptimizer(RATE)\n        both.append",
)


def test_an_optimizer_of_every_round_is_made_once() -> None:
    text = after(INSIDE)
    assert "RATE = 0.1\n" in text
    assert "\nopt = tf.keras.optimizers.SGD(RATE)\n" in text
    assert "    opt.apply_gradients(summed(both))\n" in text


def test_an_optimizer_with_a_rate_of_its_round_keeps_the_session() -> None:
    text = INSIDE.replace("Optimizer(RATE)", "Optimizer(RATE * i)")
    assert "an optimizer is made in a loop" in stopped(text)
    text = INSIDE.replace("        opt = ", "        RATE = 0.2\n        opt = ")
    assert "an optimizer is made in a loop" in stopped(text)
    kept = INSIDE.replace("RATE = 0.1\n", "class Config:\n    rate = 0.1\n\n\n")
    kept = kept.replace("Optimizer(RATE)", "Optimizer(Config.rate)")
    assert "SGD(Config.rate)" in after(kept)
    text = kept.replace("        opt = ", "        Config.rate = 0.2\n        opt = ")
    assert "an optimizer is made in a loop" in stopped(text)


MADE = """\
def net(x, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        return tf.matmul(x, tf.get_variable('w', [2, 1], initializer=tf.ones_initializer()))


"""


def test_variables_that_the_loop_makes_behind_keep_the_session() -> None:
    text = TOWERS.replace("x = tf.pl", MADE + "x = tf.pl", 1)
    text = text.replace("tf.matmul(x, w)", "net(x, 'first')")
    assert "variables = [w, *first_layer.variables]" in after(text)
    more = "compute_gradients(loss))\n        other = net(x, 'second')\n"
    text = text.replace("compute_gradients(loss))\n", more)
    assert "makes variables in its rounds" in stopped(text)


def test_variables_of_each_round_keep_the_session() -> None:
    text = TOWERS.replace("tf.matmul(x, w)", "tf.layers.dense(x, 1, name='net%d' % i)")
    assert "makes variables in its rounds" in stopped(text)
