"""Layers without names that are used again: TF 1's counters say which variables they have."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


def net(x, reuse=None):
    h = tf.layers.dense(x, 4, tf.nn.tanh, reuse=reuse)
    return tf.layers.dense(h, 4, reuse=reuse)


x = tf.placeholder(tf.float32, [None, 4])
z = tf.placeholder(tf.float32, [None, 4])
{calls}
step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(p - q))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([step, p], {{x: [[1, 2, 3, 4]], z: [[4, 3, 2, 1]]}})[1])
"""
SECOND = "    return tf.layers.dense(h, 4, reuse=reuse)\n"


@pytest.mark.parametrize("said", ["True", "tf.AUTO_REUSE", "tf.get_default_graph() is not None"])
def test_several_of_a_function_stay(said: str) -> None:
    calls = f"p = net(x)\nq = net(z, {said})"
    assert "layers without names" in stopped(PROGRAM.format(calls=calls))


def test_the_only_one_is_found_again() -> None:
    source = PROGRAM.format(calls="p = net(x)\nq = net(z, True)")
    assert after(source.replace(SECOND, "    return h\n")).count("_layer = net(") == 1
    named = source.replace("reuse=reuse", "reuse=reuse, name='h'", 1)
    assert after(named.replace(SECOND, SECOND.replace("=reuse", "=reuse, name='o'")))


SCOPED = PROGRAM.replace(", reuse=reuse", "").replace(", reuse=None", "")
TWO = "with tf.variable_scope('a', reuse=tf.AUTO_REUSE):\n    "


def test_scopes_that_are_opened_anew_count_anew() -> None:
    text = after(SCOPED.format(calls=f"{TWO}p = net(x)\n{TWO}q = net(z)"))
    assert text.count("_layer = net(") == 1


@pytest.mark.parametrize(
    "calls",
    [
        f"{TWO}p = net(x)\n    q = net(z)",
        f"{TWO}outs = []\n    for v in (x, z):\n        outs.append(net(v))\np, q = outs",
    ],
)
def test_one_scope_counts_on(calls: str) -> None:
    stopped(SCOPED.format(calls=calls))


def test_scopes_of_the_functions_own() -> None:
    own = SCOPED.format(calls=f"{TWO}p = net(x)\n    q = net(z)")
    head, body = own.split("    h = ", 1)
    lines = body.split("\n\n", 1)
    inner = "".join(f"    {line}\n" for line in f"    h = {lines[0]}".splitlines())
    text = after(f"{head}    with tf.variable_scope('own'):\n{inner}\n{lines[1]}")
    assert text.count("_layer = net(") == 1
