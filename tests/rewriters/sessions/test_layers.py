"""Layers: arg_scope, switches, averages, reuse, variables by name."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

x = tf.placeholder(tf.float32, [None, 4])
train = tf.placeholder(tf.bool)
"""
NORM = (
    HEAD
    + """\
h = tf.layers.batch_normalization(x, training=train)
loss = tf.reduce_mean(tf.square(h - 1))
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""
)
RUN = "print(sess.run([{}], {{x: np.ones((2, 4)), train: {}}}))\n"
SLIM_RUN = "print(sess.run([step, loss], {x: np.ones((2, 4))}))\n"


def run(fetches: str, switch: str) -> str:
    return RUN.format(fetches, switch)


def test_averages_are_updated_where_the_updates_are_run() -> None:
    text = after(NORM + run("step, updates, loss", "True") + run("loss", "False"))
    assert "h_layer = tf.keras.layers.BatchNormalization()\n" in text
    assert "h_layer(x, training=train)" in text
    assert "train = tf." not in text  # each function knows it
    assert "compute_loss" in text


def test_averages_that_no_run_updates_stay() -> None:
    text = after(NORM + run("step, loss", "True") + run("loss", "False"))
    assert "BatchNormalization(momentum=1.0)  # no run updates its averages\n" in text


def test_a_run_that_trains_without_the_updates_says_so() -> None:
    text = after(NORM + run("step, updates, loss", "True") + run("loss", "True"))
    assert text.count("    with averages_kept():\n") == 1
    unfused = NORM.replace("training=train", "training=train, fused=False")
    assert unfused != NORM
    why = stopped(unfused + run("step, updates, loss", "True") + run("loss", "True"))
    assert why == "7: a run that trains leaves the averages of a batch normalization alone"


def test_an_untrainable_normalization_takes_the_averages_in_keras_only() -> None:
    """TF 1.15.5's normalizes by the batch where it trains, as any other does."""
    weighed = NORM.replace("square(h", "square(h * tf.get_variable('w', [4])")
    fixed = weighed.replace("training=train)", "training=train, trainable={})")
    runs = run("step, updates, loss", "True") + run("loss", "False")
    assert stopped(fixed.format(False) + runs) == "7: `trainable` of a batch normalization"
    text = after(fixed.format(True) + runs)
    assert "BatchNormalization(trainable=True)" in text
    idle = weighed.replace("training=train)", "trainable=False)")
    text = after(idle + SLIM_RUN)
    assert "BatchNormalization(trainable=False" in text


def test_a_switch_that_is_computed_is_fed() -> None:
    text = after(NORM + "on = bool(np.ones(1)[0])\n" + run("step, updates, loss", "on"))
    assert "train = tf.TensorSpec(None, tf.bool)" in text
    assert "tf.cond(train, lambda: h_layer(x, training=True)" in text


def test_arg_scopes_nest_and_calls_have_the_last_word() -> None:
    text = after(
        HEAD
        + """\
with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.tanh,
                    weights_regularizer=slim.l2_regularizer(0.1)):
    with slim.arg_scope([slim.fully_connected], biases_initializer=None):
        a = slim.fully_connected(x, 3)
        b = slim.fully_connected(a, 2, activation_fn=None, weights_regularizer=None)
print(tf.Session().run(b, {x: np.ones((2, 4))}))
"""
    )
    l2 = "kernel_regularizer=tf.keras.regularizers.L2(0.05)"
    assert f"Dense(\n    3, activation=tf.nn.tanh, {l2}, use_bias=False)" in text
    assert "b_layer = tf.keras.layers.Dense(2, use_bias=False)\n" in text
    assert "slim" not in text


SHARED = (
    HEAD
    + """\
def net(x, units, keep, reuse=None):
    with tf.variable_scope('net', reuse=reuse):
        h = tf.layers.dense(x, units, name='h')
        return h * keep


a = net(x, 3, 1.0)
b = net(x, 3, 0.5, reuse=True)
"""
)


def test_what_only_a_run_reads_goes_to_the_run() -> None:
    text = after(SHARED + "print(tf.Session().run([a, b], {x: np.ones((2, 4))}))\n")
    assert "def net(units):\n" in text
    assert "    def apply(x, keep):\n" in text
    assert text.count("a_layer(x, ") == 2


def test_variables_are_picked_by_their_names() -> None:
    text = after(
        SHARED
        + """\
other = tf.layers.dense(a, 1, name='other')
mine = [v for v in tf.trainable_variables() if 'net' in v.name]
loss = tf.reduce_mean(tf.square(other))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=mine)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step, {x: np.ones((2, 4))})
"""
    )
    assert "apply.layers = [h_layer]" in text
    assert "mine = [v for layer in a_layer.layers for v in layer.trainable_variables]" in text


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        (
            "c = net(x, 4, 1.0, reuse=True)\nprint(tf.Session().run(c, {x: np.ones((2, 4))}))\n",
            "the variables that are used again aren't seen",
        ),
        (
            "with tf.variable_scope('net', reuse=True):\n    w = tf.get_variable('h/kernel')\n"
            "print(tf.Session().run(w))\n",
            "the variable net/h/kernel:0 isn't seen",
        ),
        (
            "with tf.variable_scope('m'):\n"
            "    c = tf.layers.batch_normalization(x, training=True)\n"
            "up = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope='m/')\n"
            "print(tf.Session().run([c, up], {x: np.ones((2, 4))}))\n",
            "the update ops of a scope whose name isn't seen",
        ),
        (
            "mine = [v for v in tf.trainable_variables() if 'kernel' in v.name]\n"
            "s = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(a), var_list=mine)\n"
            "print(tf.Session().run(s, {x: np.ones((2, 4))}))\n",
            "the variables whose names have `kernel` in them",
        ),
    ],
)
def test_what_keeps_a_session(tail: str, why: str) -> None:
    assert stopped(SHARED + tail).partition(": ")[2] == why


NET = """\
def net(x, is_train=True, units=2):
    with tf.variable_scope('n', reuse=(not is_train)):
        x = tf.layers.dense(x, units, name='d')
        return x


"""
TRAINED = NET.replace(
    "        return x\n",
    """\
        return tf.layers.batch_normalization(x, training=is_train, name='bn')
""",
)
PLACE = "import numpy as np\nimport tensorflow as tf\n\nx = tf.placeholder(tf.float32, [None, 3])\n"
PRINT = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([a, b], {x: np.ones([2, 3])}))
"""


def test_a_parameter_that_says_whether_variables_are_used_again_goes() -> None:
    text = after(f"{PLACE}{NET}a = net(x)\nb = net(x, is_train=False)\n{PRINT}")
    assert "def net(units=2):" in text
    assert text.count("net()") == 1
    assert "b = a_layer(x)" in text


def test_one_that_is_a_switch_too_is_told_at_each_call() -> None:
    step = "step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(a))\n"
    text = after(f"{PLACE}{TRAINED}a = net(x, True)\nb = net(x, False)\n{step}{PRINT}")
    assert "training=is_train" in text
    assert "b = a_layer(x, False)" in text


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ("a = net(x, False)\nb = net(x)\n", "the variables that are used again aren't seen"),
        ("a = net(x)\nb = net(x, False, 3)\n", "the variables that are used again aren't seen"),
    ],
)
def test_what_isn_t_told_by_a_parameter(calls: str, why: str) -> None:
    assert stopped(PLACE + NET + calls + PRINT).partition(": ")[2] == why


def test_a_layer_of_a_constant_or_a_variable() -> None:
    text = after(
        PLACE
        + "table = tf.Variable(np.ones((4, 3)), dtype=tf.float32)\n"
        + "rows = tf.layers.dense(table, 2)\n"
        + "a = tf.layers.dense(tf.constant([[1.0, 2.0]]), 3) + x\n"
        + "b = tf.nn.embedding_lookup(rows, [1])\n"
        + PRINT
    )
    assert "rows = rows_layer(table)" in text
    assert "(tf.constant([[1.0, 2.0]])) + x" in text


@pytest.mark.parametrize("module", ["slim.layers", "slim", "tf.contrib.layers"])
def test_contrib_layers_by_the_names_of_slim(module: str) -> None:
    body = f"y = {module}.fully_connected(x, 2, activation_fn=None)\n"
    body += "loss = tf.reduce_mean(y)\n"
    body += "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
    body += "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
    text = after(HEAD.replace("train = tf.placeholder(tf.bool)\n", "") + body + SLIM_RUN)
    assert "y_layer = tf.keras.layers.Dense(2)\n" in text


@pytest.mark.parametrize(
    "returned",
    [
        "tf.layers.batch_normalization(v, training=on, momentum=0.9)",
        "tf.nn.relu(tf.layers.batch_normalization(v, training=on, momentum=0.9))",
        "tf.contrib.layers.batch_norm(v, is_training=on, decay=0.9), 2 * v",
    ],
)
def test_a_normalization_that_a_function_returns_is_updated(returned: str) -> None:
    got = "h, _" if returned.endswith("2 * v") else "h"
    updated = "with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):\n    "
    source = HEAD + (
        f"def norm(v, on):\n    return {returned}\n\n\n{got} = norm(2 * x, train)\n"
        f"loss = tf.reduce_mean(tf.square(h - 1))\n{updated}"
        "step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)\n"
        "sess = tf.Session()\nsess.run(tf.global_variables_initializer())\n"
    )
    text = after(source + RUN.format("step, loss", "True"))
    assert "momentum=0.9" in text
    assert "no run updates" not in text
    text = after(source.replace(updated, "") + RUN.format("step, loss", "True"))
    assert "momentum=1.0" in text


@pytest.mark.parametrize(
    "group", ["step, *{}", "step, tf.group(*{})", "[step, {}]", "step, {}", "tf.group(step), *{}"]
)
@pytest.mark.parametrize("normed", [True, False])
def test_updates_in_a_group_are_the_layers(group: str, normed: bool) -> None:
    source = (
        NORM if normed else NORM.replace("batch_normalization(x, training=train)", "dense(x, 3)")
    )
    group = group.format("tf.get_collection(tf.GraphKeys.UPDATE_OPS)")
    source = source.replace("sess = tf", f"both = tf.group({group})\nsess = tf")
    text = after(source + RUN.format("both, loss", "True"))
    assert "get_collection" not in text
    assert "momentum=1.0" not in text


@pytest.mark.parametrize("updates", ["updates", "tf.get_collection(tf.GraphKeys.UPDATE_OPS)"])
@pytest.mark.parametrize(
    "cost", ["tf.identity(loss)", "loss + 1.0", "tf.add_n([loss, loss])", "tf.reduce_sum(loss)"]
)
def test_updates_that_only_a_loss_waits_for_keep_the_session(cost: str, updates: str) -> None:
    """TF 1 leaves them out: no gradient needs that value."""
    source = NORM.replace("minimize(loss)", "minimize(cost)").replace(
        "step =", f"with tf.control_dependencies({updates}):\n    cost = {cost}\nstep ="
    )
    reason = stopped(source + RUN.format("step, loss", "True"))
    assert "averages whose updates only the loss of a train op waits for" in reason
    assert "momentum=1.0" not in after(source + RUN.format("step, cost", "True"))


def test_updates_that_a_gradient_s_value_waits_for_are_done() -> None:
    source = NORM.replace("minimize(loss)", "minimize(cost)").replace(
        "step =",
        "with tf.control_dependencies(updates):\n"
        "    cost = tf.reduce_sum(tf.square(h - 1))\nstep =",
    )
    assert "momentum=1.0" not in after(source + RUN.format("step, loss", "True"))
