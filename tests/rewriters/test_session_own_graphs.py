"""Graphs in blocks of their own, scopes that functions are given: which variables are meant."""

from __future__ import annotations

import textwrap

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import tensorflow as tf

def linear(inputs, name):
    {before}
    with tf.variable_scope({scope}):
        w = tf.get_variable('w', [2, 1])
        return tf.matmul(inputs, w)

x = tf.placeholder(tf.float32, [None, 2])
first = tf.reduce_sum(linear(x, 'first'))
second = tf.reduce_sum(linear(x, name='second'))
train = tf.train.GradientDescentOptimizer(0.1).minimize(
    first + second, var_list=tf.trainable_variables('{wanted}'))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, {{x: [[1, 2]]}})
"""
GRAPHS = """\
import tensorflow as tf

with tf.Graph().as_default():
    a = tf.placeholder(tf.float32, [])
    v = tf.get_variable('w', [])
    one = a * v
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(one, {a: 2}))

with tf.Graph().as_default():
    b = tf.placeholder(tf.float32, [])
    w = tf.get_variable('w', [])
    saver = tf.train.Saver()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        b * w, var_list=tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {b: 2})
        saver.save(sess, 'model')
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": textwrap.dedent(source).encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert result.after is not None
    return result.after.decode()


def scoped(scope: str, before: str = "pass", wanted: str = "first") -> str:
    return HEAD.format(scope=scope, before=before, wanted=wanted)


@pytest.mark.parametrize(
    ("scope", "wanted", "found"),
    [
        ("name", "first", "variables = first_layer.variables\n"),
        ("name", "second", "variables = second_layer.variables\n"),
        ("'net_' + name", "net_first", "variables = first_layer.variables\n"),
        ("name", "", "variables = [*first_layer.variables, *second_layer.variables]\n"),
    ],
)
def test_a_call_says_the_scope_of_a_function_s_variables(
    scope: str, wanted: str, found: str
) -> None:
    assert found in native(scoped(scope, wanted=wanted))


@pytest.mark.parametrize("before", ["name = name + '_net'", "name = 'first'"])
def test_a_scope_s_name_that_the_function_makes_isn_t_known(before: str) -> None:
    result = upgrade(scoped("name", before))
    assert result.level is Level.COMPAT
    (finding,) = [f for f in result.left if f.rule == "TFM420"]
    assert "the variables of a scope, where the name of one isn't seen" in finding.message


def test_a_graph_of_its_own_has_its_own_variables() -> None:
    text = native(GRAPHS)
    assert "saver = tf.train.Checkpoint(w=w)" in text
    assert "variables = [w]\n" in text


def test_a_graph_around_a_block_is_there_again_behind_it() -> None:
    around = """\
    import tensorflow as tf

    x = tf.placeholder(tf.float32, [])
    u = tf.get_variable('w', [])
    with tf.Graph().as_default():
        b = tf.placeholder(tf.float32, [])
        w = tf.get_variable('w', [])
        product = b * w
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(product, {b: 2}))
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        x * u, var_list=tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: 2})
    """
    assert "variables = [u]\n" in native(around)
