"""Ways that no call of a function takes, and functions in arg_scopes of two kinds."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def part(x, n, whole=False, most=None):
    size, rate = 1, 1
    for i in range(2):
        if whole:
            n = tf.shape(x)[0]
        h = tf.layers.dense(x, n)
        x = tf.concat([x, h], 1)
    return x


def net(x, n=2, whole=False):
    return part(x, n, whole)


x = tf.placeholder(tf.float32, [None, 3])
{before}y = net(x{given})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0, 3.0]]}}))
"""


@pytest.mark.parametrize("given", ["", ", 4", ", whole=False"])
def test_a_way_that_no_call_takes_goes(given: str) -> None:
    assert "tf.shape" not in after(PROGRAM.format(before="", given=given))


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ("", ", whole=True"),
        # a switch of the author's
        ("whole = False\n", ", whole=whole"),
        ("import sys\n", ", whole=len(sys.argv) > 1"),
    ],
)
def test_one_that_may_be_taken_keeps_the_session(before: str, given: str) -> None:
    stopped(PROGRAM.format(before=before, given=given))


ACTS = """\
import tensorflow as tf

slim = tf.contrib.slim


def part(x, n, act=None):
    return slim.fully_connected(x, n, activation_fn={act}, normalizer_fn=slim.batch_norm)


x = tf.placeholder(tf.float32, [4, 3])
y = part(part(x, 3{given}), 2)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {{x: [[1.0, 2.0, 3.0]] * 4}}))
"""


def test_an_activation_that_may_be_none() -> None:
    text = after(ACTS.format(act="act", given=", tf.nn.relu"))
    assert "tf.keras.activations.get(act)(" in text


def test_an_activation_by_a_condition() -> None:
    text = after(ACTS.format(act="tf.nn.relu6 if act else None", given=""))
    assert "relu6" not in text
    stopped(ACTS.format(act="tf.nn.relu6 if act else None", given=", True"))


TWINS = """\
import tensorflow as tf

slim = tf.contrib.slim


def part(x, n, scope=None):
    return slim.fully_connected(x, n, scope=scope)


x = tf.placeholder(tf.float32, [4, 3])
with slim.arg_scope([slim.fully_connected], activation_fn=None):
    h = part(x, 3, scope='a')
h = part(h, 3, scope='b')
h = part(h, 3, scope='c')
{more}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(h, {{x: [[1.0, 2.0, 3.0]] * 4}}))
"""


def test_a_function_in_arg_scopes_of_two_kinds() -> None:
    text = after(TWINS.format(more=""))
    assert (
        "def part(n, scope=None):\n    fully_connected_layer = tf.keras.layers.Dense(n)\n" in text
    )
    assert "def part_2(n, scope=None):" in text
    assert "a_layer = part(3, scope='a')" in text
    assert "b_layer = part_2(3, scope='b')\nc_layer = part_2(3, scope='c')" in text


def test_arg_scopes_of_three_kinds() -> None:
    more = "with slim.arg_scope([slim.fully_connected], activation_fn=tf.nn.tanh):\n"
    more += "    h = part(h, 3, scope='d')"
    text = after(TWINS.format(more=more))
    assert "d_layer = part_3(3, scope='d')" in text or "d_layer = part_2_2" in text


MODES = """\
import tensorflow as tf

slim = tf.contrib.slim


def inner(h):
    return slim.fully_connected(h, 4, normalizer_fn=slim.batch_norm, scope='inner')


def net(x, n, is_training=True, reuse=None):
    with tf.variable_scope('net', reuse=reuse):
        with slim.arg_scope([slim.batch_norm], is_training=is_training):
            h = inner(x)
            return slim.fully_connected(h, n, activation_fn=None, scope='last')


x = tf.placeholder(tf.float32, [4, 3])
y = net(x, 2)
tested = net(x, 2, is_training={mode}, reuse=True)
loss = tf.reduce_mean(tf.square(y))
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS{scope})):
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {{x: [[1.0, 2.0, 3.0]] * 4}})[1])
print(sess.run(tested, {{x: [[1.0, 2.0, 3.0]] * 4}}))
"""


def test_a_net_of_functions_for_training_and_for_tests() -> None:
    text = after(MODES.format(mode="False", scope=""))
    assert "momentum=0.999" in text
    stopped(MODES.format(mode="True", scope=", scope='net/'"))
