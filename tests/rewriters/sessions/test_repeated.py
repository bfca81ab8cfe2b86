"""Layers and variables in loops and branches, and functions that become layers of their own."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
h = x
"""
END = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(h, {x: np.ones((2, 4))}))
"""


def native(body: str) -> str:
    return after(HEAD + body + END)


def why(body: str) -> str:
    return stopped(HEAD + body + END)


def test_a_loop_goes_through_what_a_comprehension_made() -> None:
    text = native("for units in [8, 6]:\n    h = tf.layers.dense(h, units)\n")
    assert "dense_layers = [tf.keras.layers.Dense(units) for units in [8, 6]]\n" in text
    assert "    for dense_layer in dense_layers:\n        h = dense_layer(h)\n" in text


@pytest.mark.parametrize(
    ("header", "body", "wanted"),
    [
        ("i in range(3)", "i", "i, dense_layer in enumerate(dense_layers)"),
        ("i, n in enumerate([2, 3])", "i", "i, dense_layer in enumerate(dense_layers)"),
        ("i, n in enumerate([2, 3])", "n", "n, dense_layer in zip([2, 3], dense_layers)"),
        (
            "i, n in enumerate([2, 3])",
            "i + n",
            "i, (n, dense_layer) in enumerate(zip([2, 3], dense_layers))",
        ),
        ("i, n in zip([1, 2], [2, 3])", "n", "n, dense_layer in zip([2, 3], dense_layers)"),
        ("i in range(1, 3)", "i", "i, dense_layer in zip(range(1, 3), dense_layers)"),
        ("i, n in {1: 2}.items()", "n", "(i, n), dense_layer in zip({1: 2}.items(), dense_layers)"),
    ],
)
def test_a_header_keeps_what_the_body_reads(header: str, body: str, wanted: str) -> None:
    text = native(f"for {header}:\n    h = tf.layers.dense(h, 4) * ({body})\n")
    assert f"    for {wanted}:\n" in text


def test_what_only_the_layers_need_is_not_applied() -> None:
    text = native(
        "n = 2\nfor i in range(3):\n    n *= 2\n    h = tf.layers.dense(h, n)\nprint(n)\n"
    )
    assert (
        "for i in range(3):\n    n *= 2\n    dense_layers.append(tf.keras.layers.Dense(n))\n"
        in text
    )
    assert "    for dense_layer in dense_layers:\n        h = dense_layer(h)\n" in text
    assert "print(n)\n" in text


def test_a_number_that_layers_and_tensors_count_with_keeps_the_session() -> None:
    body = "n = 2\nfor i in range(3):\n    n *= 2\n    h = tf.layers.dense(h, n) * n\n"
    assert why(body) == ("8: a number that a loop counts with, for layers and for tensors")


def test_a_branch_makes_its_layer() -> None:
    text = native("deep = True\nif deep:\n    h = tf.layers.dense(h, 3)\n")
    assert "if deep:\n    dense_layer = tf.keras.layers.Dense(3)\n" in text
    assert "    if deep:\n        h = dense_layer(h)\n" in text


def test_a_branch_in_a_loop_leaves_a_gap() -> None:
    text = native("for i in range(2):\n    if i > 0:\n        h = tf.layers.dense(h, 3)\n")
    assert "[tf.keras.layers.Dense(3) if i > 0 else None for i in range(2)]\n" in text


def test_two_branches_in_a_loop() -> None:
    text = native(
        "for i in range(2):\n    if i > 0:\n        h = tf.layers.dense(h, 3)\n"
        "    else:\n        h = tf.layers.dense(h, 5)\n"
    )
    assert "    dense_layer = None\n    dense_layer_2 = None\n    if i > 0:\n" in text
    assert (
        "    dense_layers.append(dense_layer)\n    dense_layers_2.append(dense_layer_2)\n" in text
    )


def test_variables_of_a_loop_have_lists_and_their_names() -> None:
    text = native(
        "for i in range(2):\n"
        "    with tf.name_scope('part%d' % i):\n"
        "        shape = [4, 4]\n"
        "        W = tf.Variable(tf.ones(shape), name='W')\n"
        "        h = tf.matmul(h, W)\n"
    )
    assert "    Ws.append(tf.Variable(tf.ones(shape), name=f'part{i}/W'))\n" in text
    assert "for i, W in enumerate(Ws):\n" in text


def test_a_name_that_means_another_variable_later() -> None:
    text = native(
        "for i in range(2):\n    W = tf.Variable(tf.ones([4, 4]))\n    h = tf.matmul(h, W)\n"
        "W = tf.Variable(tf.ones([4, 1]))\nh = tf.matmul(h, W)\n"
    )
    assert "    for W_i in Ws:\n        h = tf.matmul(h, W_i)\n" in text
    assert "    return tf.matmul(h, W)\n" in text


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(2):\n    h = tf.layers.dense(h, 4)\n    if i:\n        break\n",
        "while h.shape[1] != 3:\n    h = tf.layers.dense(h, 3)\n",
        "h = tf.add_n([tf.layers.dense(h, 4) for _ in range(2)])\n",
        "h = (lambda v: tf.layers.dense(v, 4))(h)\n",
    ],
)
def test_other_loops_keep_the_session(body: str) -> None:
    assert why(body)


def test_layers_for_each_tensor_keep_the_session() -> None:
    body = "parts = tf.split(h, 2, 1)\nfor part in parts:\n    h = tf.layers.dense(part, 2)\n"
    assert why(body) == "7: layers are made for each item of a tensor"


LINEAR = """\
def linear(inputs, units, scope):
    n = inputs.get_shape()[-1].value
    with tf.variable_scope(scope):
        w = tf.get_variable('w', [n, units])
        return tf.matmul(inputs, w)
h = linear(h, 3, 'first')
"""


def test_a_function_that_is_shaped_by_its_input_is_a_layer() -> None:
    text = native(LINEAR)
    assert "class Linear(tf.keras.layers.Layer):\n" in text
    assert "        n = input_shape[-1]\n" in text
    assert "initializer=\"glorot_uniform\", name='w')\n" in text
    assert "first_layer = Linear(3, 'first')\n" in text


@pytest.mark.parametrize(
    "shape",
    ["inputs.shape[1].value", "int(inputs.get_shape()[1])", "inputs.get_shape().as_list()[-1]"],
)
def test_shapes_in_other_words(shape: str) -> None:
    assert "class Linear(" in native(LINEAR.replace("inputs.get_shape()[-1].value", shape))


def test_a_variable_with_a_value_in_a_layer_is_told_its_size() -> None:
    body = LINEAR.replace("tf.get_variable('w', [n, units])", "tf.Variable(2 + tf.ones([n, 3]))")
    text = native(body)
    assert "class " not in text
    assert "tf.Variable(2 + tf.ones([n, 3]))" in text


def test_variables_that_are_read_early_are_built() -> None:
    text = native(
        "with tf.variable_scope('net'):\n    h = tf.layers.dense(h, 3)\n"
        "kept = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='net')\n"
    )
    assert "dense_layer.build([None, 4])\n" in text
    assert "kept = [*dense_layer.weights]\n" in text


def test_layers_that_are_not_trained_are_left_out() -> None:
    text = after(
        HEAD
        + "h = tf.layers.dense(h, 3, trainable=False, name='fixed')\nh = tf.layers.dense(h, 1)\n"
        "loss = tf.reduce_mean(h)\nstep = tf.train.GradientDescentOptimizer(.1).minimize(loss)\n"
        "with tf.Session() as sess:\n    sess.run(tf.global_variables_initializer())\n"
        "    print(sess.run([step, loss], {x: np.ones((2, 4))}))\n"
    )
    assert "watched_variables" not in text
    assert "fixed_layer.trainable_variables" not in text
    assert "variables = [*dense_layer.trainable_variables]\n" in text


def test_one_initializer_draws_anew_for_each_layer() -> None:
    text = native(
        "start = tf.random_normal_initializer(0., .1)\n"
        "h = tf.layers.dense(h, 4, kernel_initializer=start)\n"
        "h = tf.layers.dense(h, 4, kernel_initializer=start)\n"
    )
    assert "stddev=.1, seed=tf.keras.random.SeedGenerator())\n" in text


SAVED = """\
for i in range(2):
    h = tf.layers.dense(h, 4)
loss = tf.reduce_mean(h)
step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, loss], {x: np.ones((2, 4))}))
    saver.save(sess, 'model')
"""


def test_lists_of_layers_are_saved() -> None:
    text = after(HEAD + SAVED)
    assert "tf.train.Checkpoint(dense_layers=dense_layers, optimizer=optimizer)" in text


def test_what_a_branch_makes_is_not_saved_by_name() -> None:
    body = SAVED.replace("for i in range(2):\n", "deep = True\nif deep:\n")
    assert stopped(HEAD + body) == "8: what a branch makes is asked for by name"


@pytest.mark.parametrize(
    "block", ["if i == 1:\n        k = 5\n", "for j in range(i):\n        k = j\n"]
)
def test_a_number_that_a_loop_may_not_set_keeps_the_session(block: str) -> None:
    body = f"k = 1\nfor i in range(3):\n    {block}    h = h * k\n"
    assert why(body) == "7: `k`, which a function would read, changes later"


def test_a_number_that_a_loop_always_sets_is_its_own() -> None:
    assert "        k = i + 1\n" in native("for i in range(3):\n    k = i + 1\n    h = h * k\n")


LOOP_IN_BRANCH = """\
import tensorflow as tf

DEEP = True
x = tf.placeholder(tf.float32, [None, 3])
h = tf.Variable(tf.ones([3, 1]))
if DEEP:
    b = tf.tanh(x)
else:
    b = x
    for i in range(2):
        c = tf.get_variable('v_%d' % i, [3, 3])
        b = tf.matmul(b, c)
out = tf.matmul(x, h)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(out, {x: [[1, 2, 3]]}))
"""


@pytest.mark.parametrize("needed", [True, False])
def test_a_loop_in_a_branch_makes_its_list_there(needed: bool) -> None:
    wanted = "out = tf.matmul(b" if needed else "out = tf.matmul(x"
    text = after(LOOP_IN_BRANCH.replace("out = tf.matmul(x", wanted))
    assert "if not DEEP:\n    cs = [\n        tf.Variable(" in text
    assert ("        for c in cs:\n            b = tf.matmul(b, c)\n" in text) == needed


def test_a_branch_of_layers_that_no_run_needs() -> None:
    source = LOOP_IN_BRANCH.replace(
        "    for i in range(2):\n        c = tf.get_variable('v_%d' % i, [3, 3])\n"
        "        b = tf.matmul(b, c)\n",
        "    b = tf.layers.dense(b, 2)\n",
    )
    assert "Dense" not in after(source)


def test_what_a_block_reads_of_the_name_before_it_stops_it() -> None:
    source = LOOP_IN_BRANCH.replace(
        "    b = tf.tanh(x)\n",
        "    b = tf.matmul(x, h)\n    h = tf.Variable(tf.ones([3, 1]))\n",
    ).replace("out = tf.matmul(x, h)", "h = tf.tanh(x)\nout = tf.reduce_sum(b) + h")
    assert "`h` is a variable" in stopped(source) or "`h` means" in stopped(source)


def test_no_list_is_called_as_a_keyword() -> None:
    body = (
        "for i in range(2):\n    a = tf.get_variable('a_%d' % i, [4, 4])\n    h = tf.matmul(h, a)\n"
    )
    assert "a_list = [" in native(body)
