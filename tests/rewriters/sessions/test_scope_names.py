"""The names of scopes that a program reads, and what it notes with its functions."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = "import numpy as np\nimport tensorflow as tf\n\nx = tf.placeholder(tf.float32, [2, 3])\n"
RUN = """\
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(y, {x: np.ones([2, 3])}))
"""
NET = """\
def net(x, scope='net'):
    ends = {}
    with tf.variable_scope(scope) as sc:
        w = tf.get_variable('w', [3])
        z = tf.nn.relu(x * w, name=sc.name)
        ends[sc.name + '/z'] = z
    return z, ends


"""


def test_a_scope_s_name_is_written_out() -> None:
    body = "with tf.variable_scope('a'):\n    with tf.variable_scope('b') as sc:\n"
    body += "        y = tf.multiply(x, 2., name=sc.name)\n"
    assert "tf.multiply(x, 2., name='a/b')" in after(HEAD + body + RUN)
    scope = "with tf.name_scope('a') as s:\n    y = tf.add(x, 1., name=s)\n"
    assert "tf.add(x, 1., name='a')" in after(HEAD + scope + RUN)


def test_in_a_function_it_is_what_the_function_is_given() -> None:
    text = after(f"{HEAD}{NET}y, ends = net(x)\n{RUN}")
    assert "ends[scope + '/z'] = z" in text
    assert "name=scope)" in text


def test_a_dict_that_a_function_returns_is_fetched_as_one() -> None:
    text = after(f"{HEAD}{NET}out, y = net(x)\n{RUN}")
    assert "tf.nest.map_structure(lambda t: t.numpy(), " in text


def test_a_function_keeps_a_number() -> None:
    text = after(f"{HEAD}{NET}net.size = 3\nprint(net.size)\ny, ends = net(x)\n{RUN}")
    assert "net.size = 3\n" in text
    assert "print(net.size)" in text


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            f"{NET}with tf.variable_scope('o'):\n    y, ends = net(x)\n",
            "a function that reads the names of its scopes is called in another one",
        ),
        (
            NET.replace("scope)", "scope, 'net')") + "y, ends = net(x, None)\n",
            "a function that reads the name of a scope, which TF 1 gives it",
        ),
        (
            "y = x\nfor i in range(2):\n    with tf.variable_scope('s%d' % i) as sc:\n"
            "        y = tf.multiply(y, 2., name=sc.name)\n",
            "the name of a scope that is computed",
        ),
        (
            "def f(x):\n    return x * f.k\n\n\nf.k = 1.\ny = f(x)\nf.k = 2.\n",
            "a part of the graph is kept in an attribute",
        ),
    ],
)
def test_what_keeps_a_session(body: str, why: str) -> None:
    assert stopped(HEAD + body + RUN).partition(": ")[2] == why


HELPER = """\
import numpy as np
import tensorflow as tf


def weight(name, shape):
    start = tf.constant_initializer(np.arange(2.0))
    return tf.get_variable(name, shape=shape, initializer=start)


def net(x, scope):
    with tf.variable_scope(scope):
        w = weight("w", [2])
    return tf.reduce_sum(x * w)


x = tf.placeholder(tf.float32, [None, 2])
total = net(x, "one") + net(x, "two")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(total, {x: [[1.0, 2.0]]}))
"""


def test_a_variable_of_a_helper_in_a_scope_that_its_caller_is_given() -> None:
    text = after(HELPER)
    assert "    return tf.Variable(start(shape, dtype=tf.float32), name=name)\n" in text
    assert 'w = weight("w", [2])' in text


@pytest.mark.parametrize("value", ["0.5", "1", "-1"])
def test_keras_constants_need_no_type(value: str) -> None:
    assert "start(shape), name=name)" in after(HELPER.replace("np.arange(2.0)", value))
