"""Functions that stand in others, make variables and find them again there."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

LIB = """\
import tensorflow as tf

{more}
def compare(a, b, keep, n):
    def encode(x, m):
        w = tf.get_variable("w", [n, m], initializer=tf.ones_initializer())
        return tf.nn.dropout(tf.matmul(x, w), {keep})
    one = encode(a, 5)
    with tf.variable_scope({scope}, reuse=True):
        {two}
    return tf.reduce_sum(one * two, 1)
"""
MAIN = """\
import numpy as np
{head}
a = tf.placeholder(tf.float32, [None, 3])
b = tf.placeholder(tf.float32, [None, 3])
rate = tf.placeholder(tf.float32)
out = {call}compare(a, b, rate, 3)
{rest}loss = tf.reduce_mean(out)
train = tf.train.GradientDescentOptimizer(.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([loss, train], {{a: np.ones((2, 3)), b: np.ones((2, 3)), rate: 1.0}}))
"""
HERE = "tf.get_variable_scope()"


def library(
    two: str = "two = encode(b, 5)", keep: str = "keep", scope: str = HERE, more: str = ""
) -> str:
    return LIB.format(two=two, keep=keep, scope=scope, more=more)


def program(rest: str = "", **parts: str) -> str:
    return MAIN.format(head=library(**parts), call="", rest=rest)


def test_a_net_inside_of_a_function_is_found_again_there() -> None:
    text = after(program())
    assert "    def encode(m):\n        w = tf.Variable(tf.ones([n, m]), name=" in text
    assert "        def apply(x, keep):\n" in text
    assert "        one = one_layer(a, keep)\n        two = one_layer(b, keep)\n" in text
    assert "out_layer = compare(3)\n" in text or "compare_layer = compare(3)\n" in text


def test_the_whole_function_is_found_again_by_its_caller() -> None:
    again = f"with tf.variable_scope({HERE}, reuse=True):\n    out += compare(b, a, rate, 3)\n"
    text = after(program(rest=again))
    assert text.count("= compare(3)\n") == 1
    assert text.count("_layer(a, b, rate)") == text.count("_layer(b, a, rate)") > 0


def test_a_function_of_another_file_may_have_functions_inside() -> None:
    head = "import tensorflow as tf\nimport lib"
    files = {
        "main.py": MAIN.format(head=head, call="lib.", rest="").encode(),
        "lib.py": library().encode(),
    }
    found = {r.path: r for r in texts(files, Options())}
    assert {r.level for r in found.values()} == {Level.NATIVE}
    made = found["lib.py"].after or b""
    assert b"        one = one_layer(a, keep)\n" in made


@pytest.mark.parametrize(
    "source",
    [
        program(two="two = encode(b, 6)"),  # other variables, which aren't there
        program(two="w = tf.get_variable('w', [3, 5]); two = tf.matmul(b, w)"),
        program(scope="'other'"),
        program(two="two = (lambda keep: encode(b, 5))(1.0)"),
        program(two="two = tf.add_n([encode(b, 5) for keep in range(1)])"),
        program(two="keep = 1.0; two = encode(b, 5)", rest="del encode\n"),
    ],
)
def test_what_else_a_function_does_with_them_stays(source: str) -> None:
    assert stopped(source)
