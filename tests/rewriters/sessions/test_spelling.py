"""What is spelled otherwise before it is followed: repeat, stack, arg_scopes, transitions."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

x = tf.placeholder(tf.float32, [None, 4])
"""
RUN = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(net, {x: np.ones((2, 4))}))
"""
SCOPE = """\
def common(act=tf.nn.tanh):
    with slim.arg_scope([slim.fully_connected], activation_fn=act) as sc:
        return sc


"""


def test_a_layer_is_repeated_under_numbered_names() -> None:
    text = after(HEAD + "net = slim.repeat(x, 2, slim.fully_connected, 4, scope='fc')\n" + RUN)
    assert text.count("Dense(") == 2
    assert "name='fc_1'" in text
    assert "name='fc_2'" in text


def test_many_layers_are_made_in_a_loop() -> None:
    text = after(HEAD + "net = slim.repeat(x, 9, slim.fully_connected, 4, scope='fc')\n" + RUN)
    assert text.count("Dense(") == 1
    assert "for fc_layer in fc_layers:" in text


@pytest.mark.parametrize(
    "call",
    [
        "slim.stack(x, slim.fully_connected, sizes, scope='fc')",
        "slim.repeat(x, *more, scope='fc')",
        "tf.nn.relu(x) + slim.repeat(x, 2, slim.fully_connected, 4, scope='fc')",
    ],
)
def test_a_repeat_that_isn_t_seen_through_keeps_the_session(call: str) -> None:
    sizes = "sizes = [4, 4]\nmore = [2, slim.fully_connected, 4]\n"
    assert "with these arguments isn't followed" in stopped(HEAD + sizes + f"net = {call}\n" + RUN)


def test_the_arg_scope_of_a_function_stands_where_it_is_opened() -> None:
    opened = "with slim.arg_scope(common()):\n    net = slim.fully_connected(x, 3, scope='a')\n"
    text = after(HEAD + SCOPE + opened + RUN)
    assert "activation=tf.nn.tanh" in text
    assert "common" not in text


def test_an_arg_scope_under_a_name_takes_the_place_of_others() -> None:
    named = "sc = common(act=None)\n"
    opened = "with slim.arg_scope(sc):\n    net = slim.fully_connected(x, 3, scope='a')\n"
    assert "Dense(3, name='a')" in after(HEAD + SCOPE + named + opened + RUN)
    inner = "    with slim.arg_scope(sc):\n        net = slim.fully_connected(x, 3, scope='a')\n"
    outer = "with slim.arg_scope([slim.fully_connected], biases_initializer=None):\n"
    assert "handed on" in stopped(HEAD + SCOPE + named + outer + inner + RUN)


TAGGER = """\
s = tf.expand_dims(x, 0)
t = tf.zeros([1, 2], tf.int32)
net = tf.layers.dense(s, {})
{}net, trans = tf.contrib.crf.crf_log_likelihood(net, t, [2])
"""


def test_a_layer_tells_how_many_tags_there_are_for_any_inputs() -> None:
    more = "for _ in range(2):\n    s += 1.0\n"
    text = after(HEAD + "names = {0: 'a', 1: 'b'}\n" + TAGGER.format("len(names)", more) + RUN)
    assert '([len(names), len(names)]), name="transitions")' in text
    named = TAGGER.format("size", "size = 3\n").replace("net =", "size = 2\nnet =", 1)
    assert "how many tags there are isn't seen" in stopped(HEAD + named + RUN)


def test_transitions_whose_number_isn_t_seen_keep_the_session() -> None:
    made = "s = tf.placeholder(tf.float32, [None, 3, None])\nt = tf.placeholder(tf.int32)\n"
    made += "net, trans = tf.contrib.crf.crf_log_likelihood(s, t, tf.fill([2], 3))\n"
    assert "how many tags there are isn't seen" in stopped(HEAD + made + RUN)


def test_what_is_defined_above_a_name_of_slim_stays() -> None:
    slim = HEAD.replace("import tensorflow.contrib.slim as slim", "slim = tf.contrib.slim")
    net = "net = slim.fully_connected(x, 3, normalizer_fn=slim.batch_norm,\n"
    net += "    normalizer_params={'updates_collections': None}, scope='a')\n"
    assert "class BatchNormalization" in after(slim + net + RUN)


TEMPLATE = """\
def dense(x, n, scale=1.0):
    w = tf.get_variable("w", [4, n])
    return tf.matmul(x, w) * scale


f = tf.make_template("shared", dense, n=3)
"""


def test_the_calls_of_a_template_share_its_variables() -> None:
    text = after(HEAD + TEMPLATE + "net = f(x) + f(2 * x, scale=0.5)\n" + RUN)
    assert text.count("f_layer = f()") == 1
    assert "f_layer(x) + f_layer(2 * x, 0.5)" in text


def test_templates_of_lambdas_and_of_scopes_that_begin_now() -> None:
    of = "f = tf.make_template('shared', lambda t: tf.layers.dense(t, 3, name='d'))\n"
    assert "f_layer(x) + f_layer(2 * x)" in after(HEAD + of + "net = f(x) + f(2 * x)\n" + RUN)
    now = TEMPLATE.replace("n=3)", "create_scope_now_=True, n=3)")
    assert "f_layer(x) + f_layer(2 * x)" in after(HEAD + now + "net = f(x) + f(2 * x)\n" + RUN)
    told = of.replace(")\n", ", t=x)\n")
    assert "isn't followed here" in stopped(HEAD + told + "net = f()\n" + RUN)


@pytest.mark.parametrize(
    "use",
    [
        "with tf.variable_scope('outer'):\n    net = f(x)\n",  # its scope is below that one
        "net = f(x) + tf.make_template('shared', dense, n=3)(x)\n",
        "g = tf.make_template('shared', dense, n=3)\nnet = f(x) + g(x)\n",  # TF 1 says shared_1
        "net = f(x)\nagain = [f]\n",
        "def later(x):\n    return f(x)\n\n\nnet = f(x) + later(x)\n",
        "f = tf.make_template('s', dense, n=3, unique_name_='s')\nnet = f(x)\n",
    ],
)
def test_a_template_that_isn_t_seen_through_keeps_the_session(use: str) -> None:
    assert "tf.make_template isn't followed here" in stopped(HEAD + TEMPLATE + use + RUN)
