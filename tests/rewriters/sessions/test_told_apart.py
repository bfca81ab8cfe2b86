"""Names that one statement after the other binds, and what is fed and fetched."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

ITERATORS = """\
import tensorflow as tf

iterator = tf.data.Dataset.range(3).make_one_shot_iterator()
x = iterator.get_next()
y = x * 2
with tf.Session() as sess:
    for _ in range(3):
        print(sess.run(y))
iterator = tf.data.Dataset.range(5).make_one_shot_iterator()
x2 = iterator.get_next()
z = x2 + 1
with tf.Session() as sess:
    print(sess.run(z))
"""
FED = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    _, batch = sess.run([train, x], {x: [[1, 2]]})
    print(batch, FETCHED)
"""
PARAMS = '''\
import tensorflow as tf


def layer(h, n, act=None):
    """
    A layer.
    """
    w = tf.Variable(tf.ones([2, n]))
    out = tf.matmul(h, w)
    """
  n: how wide it is
    """
    if act is not None:
        out = act(out)
    return out, w


x = tf.placeholder(tf.float32, [None, 2])
h, w1 = layer(x, 2, tf.nn.relu)
y, w2 = layer(h, 3)
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y), var_list=[w2])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y, w1, train], {x: [[1, 2]]}))
'''


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def native(source: str) -> str:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode()


def test_a_second_iterator_under_a_name_has_its_own() -> None:
    text = native(ITERATORS)
    assert "iterator = iter(tf.data.Dataset.range(3))\n" in text
    assert "iterator_2 = iter(tf.data.Dataset.range(5))\n" in text
    assert "print(compute_z(next(iterator_2)).numpy())\n" in text


@pytest.mark.parametrize(
    "line", ["for iterator in (): pass\n", "def f():\n    return iterator\n", "if y is not None: X"]
)
def test_a_name_that_is_read_out_of_order_keeps_the_session(line: str) -> None:
    first = "iterator = tf.data.Dataset.range(5).make_one_shot_iterator()\n"
    if "X" in line:
        source = ITERATORS.replace(first, line.replace("X", first))
    else:
        source = ITERATORS.replace(first, first + line)
    assert upgrade(source).level is Level.COMPAT


def test_what_is_fed_is_fetched() -> None:
    text = native(FED.replace("FETCHED", "1"))
    assert "    return tf.identity(x)\n" in text
    assert "batch = train_step(" in text


def test_what_is_fetched_and_not_fed_keeps_the_session() -> None:
    assert upgrade(FED.replace("FETCHED", "sess.run(x)")).level is Level.COMPAT


def test_a_helper_of_two_calls_that_gives_its_variables_stands_in_both() -> None:
    text = native(PARAMS)
    assert "def layer" not in text
    assert "w1 = tf.Variable(tf.ones([2, 2]))\n" in text
    assert "w2 = tf.Variable(tf.ones([2, 3]))\n" in text
    assert text.count("n: how wide it is") == 2
    assert text.count("tf.nn.relu(") == 1
