"""Initializers and regularizers that variables get from their scopes, or have themselves."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
"""
RUN = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(out, {x: np.ones((2, 4))}))
"""
INIT = "with tf.variable_scope('net', initializer=tf.constant_initializer(0.5)):\n"
L2 = "tf.contrib.layers.l2_regularizer(0.1)"


def test_a_scope_gives_its_initializer_to_what_has_none() -> None:
    body = "    w = tf.get_variable('w', [4, 2])\n"
    body += "    v = tf.get_variable('v', [2, 2], initializer=tf.zeros_initializer())\n"
    text = after(f"{HEAD}{INIT}{body}out = tf.matmul(tf.matmul(x, w), v)\n{RUN}")
    assert "tf.constant(0.5, shape=[4, 2])" in text
    assert "tf.zeros([2, 2])" in text


def test_the_inner_scope_wins_and_layers_ask_too() -> None:
    inner = "    with tf.variable_scope('in', initializer=tf.ones_initializer()):\n"
    body = "        out = tf.layers.dense(x, 2, name='d')\n"
    assert "kernel_initializer=tf.keras.initializers.Ones()" in after(
        f"{HEAD}{INIT}{inner}{body}{RUN}"
    )


OBJECT = """\
class Model(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
{build}

    def build(self):
        w = tf.get_variable('w', [3, 2])
        self.out = tf.reduce_sum(tf.matmul(self.x, w))


def main():
    init = tf.random_uniform_initializer(-.1, .1)
{made}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(m.out, {{m.x: np.ones((2, 3))}}))


main()
"""
SCOPE = "with tf.variable_scope('net', initializer={init}):\n"


@pytest.mark.parametrize("inside", [True, False])
def test_what_an_object_builds_in_a_scope_has_its_name_and_its_initializer(inside: bool) -> None:
    parts = {"build": "        self.build()", "made": "    m = Model()"}
    if inside:
        scope = SCOPE.format(init="tf.random_uniform_initializer(-.1, .1)")
        parts["build"] = f"        {scope}            self.build()"
    else:
        parts["made"] = f"    {SCOPE.format(init='init')}        m = Model()"
    text = after(HEAD.rpartition("x =")[0] + OBJECT.format(**parts))
    assert "tf.random.uniform([3, 2], minval=-.1, maxval=.1), name='net/w')" in text
    assert ("init = " in text) is inside  # one that only scopes were given goes


def test_objects_whose_scopes_give_them_other_things_keep_the_session() -> None:
    twice = f"    {SCOPE.format(init='init')}        n = Model()\n    m = Model()"
    source = OBJECT.format(build="        self.build()", made=twice)
    assert "other things" in stopped(HEAD.rpartition("x =")[0] + source)


@pytest.mark.parametrize("kind", ["BasicRNNCell", "BasicLSTMCell", "LSTMCell", "GRUCell"])
def test_a_cell_s_kernels_start_as_the_scope_says_that_it_is_applied_in(kind: str) -> None:
    cell = f"cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.{kind}(3) for _ in range(2)])\n"
    body = "    out, _ = tf.nn.dynamic_rnn(cell, x[:, :, None], dtype=tf.float32)\n"
    text = after(f"{HEAD}{cell}{INIT}{body}{RUN}")
    said = "kernel_initializer" if kind == "GRUCell" else "initializer"
    assert f"{kind}(3, {said}=tf.keras.initializers.Constant(0.5))" in text
    assert "scope=" in text
    if kind == "GRUCell":  # two kernels: each draws anew
        text = after(f"{HEAD}{cell}{INIT.replace('constant', 'random_normal')}{body}{RUN}")
        assert "RandomNormal(mean=0.5, stddev=1.0, seed=tf.keras.random.SeedGenerator())" in text


@pytest.mark.parametrize(
    "body",
    [
        "    out = dense(x)\n",
        "    x, out = build()\n",
        "    cell = tf.contrib.rnn.NASCell(3)\n"
        "    out, _ = tf.nn.dynamic_rnn(cell, x[:, :, None], dtype=tf.float32)\n",
    ],
)
def test_what_doesn_t_see_the_initializer_keeps_the_session(body: str) -> None:
    dense = "def dense(x):\n    w = tf.get_variable('w', [4, 2])\n    return tf.matmul(x, w)\n\n\n"
    dense += "def build():\n    x = tf.placeholder(tf.float32, [None, 4])\n"
    dense += "    out = tf.matmul(x, tf.get_variable('w', [4, 2]))\n    return x, out\n\n\n"
    assert "gives this its `initializer`" in stopped(f"{HEAD}{dense}{INIT}{body}{RUN}")


def test_a_scope_s_regularizer_isn_t_a_normalization_s() -> None:
    scope = f"with tf.variable_scope('net', regularizer={L2}):\n"
    body = "    out = tf.layers.batch_normalization(x) + tf.losses.get_regularization_loss()\n"
    assert "gives this its `regularizer`" in stopped(HEAD + scope + body + RUN)


def test_the_penalty_of_a_variable_is_applied_where_it_is_asked_for() -> None:
    made = f"w = tf.get_variable('w', [4, 2], regularizer={L2})\n"
    asked = "out = tf.matmul(x, w) + tf.losses.get_regularization_loss()\n"
    assert "tf.add_n([tf.keras.regularizers.L2(0.05)(w)])" in after(HEAD + made + asked + RUN)
    plain = after(HEAD + made + "out = tf.matmul(x, w)\n" + RUN)
    assert "regularizer" not in plain


def test_a_regularizer_may_have_a_name_and_be_called() -> None:
    made = f"reg = {L2}\nw = tf.get_variable('w', [4, 2])\n"
    text = after(HEAD + made + "out = tf.matmul(x, w) + reg(w)\n" + RUN)
    assert "reg = tf.keras.regularizers.L2(0.05)" in text
    assert "+ reg(w)" in text


def test_the_names_of_layers_variables_aren_t_read() -> None:
    layer = "out = tf.layers.dense(x, 2, name='d')\n"
    found = (
        "b = [v for v in tf.global_variables() if v.name == 'd/bias:0'][0]\nprint(sess.run(b))\n"
    )
    assert "b = out_layer.bias" in after(HEAD + layer + RUN + found)
    assert "isn't seen" in stopped(HEAD + layer + RUN + found.replace("d/bias", "e/bias"))


def test_a_helper_in_scopes_that_give_different_things_keeps_the_session() -> None:
    helper = "def weight(name):\n    return tf.get_variable(name, [4, 4])\n\n\n"
    first = f"{INIT}    w = weight('w')\n"
    second = "with tf.variable_scope('other'):\n    v = weight('v')\n"
    out = "out = tf.matmul(tf.matmul(x, w), v)\n"
    assert "other things each time" in stopped(HEAD + helper + first + second + out + RUN)
    assert "tf.constant(0.5" in after(HEAD + helper + first + "out = tf.matmul(x, w)\n" + RUN)
