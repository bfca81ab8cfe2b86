"""Rows of what is one tensor or variable have TF 2's name, where a list would be dealt out."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

TABLES = """\
import tensorflow as tf

graph = tf.Graph()
with graph.as_default():
    w = tf.Variable(tf.random_uniform([6, 4]))
    table = {table}
    rows = tf.nn.embedding_lookup(table, tf.constant([1, 2]))
    other = {table}

with tf.Session(graph=graph) as sess:
    sess.run(tf.global_variables_initializer())
    print(rows.eval(), sess.run(table))
"""
OBJECT = """\
import tensorflow as tf

class Net:
    def __init__(self, n):
        self.table = tf.get_variable("table", [7, n])
        self.rate = tf.Variable(0.0, trainable=False)

        def rows(of):
            return tf.nn.embedding_lookup(self.table, tf.argmax(of, 1))

        self.x = tf.placeholder(tf.float32, [None, 7])
        self.loss = tf.reduce_mean(rows(self.x))
        self.train = tf.train.GradientDescentOptimizer(self.rate).minimize(self.loss)

net = Net(5)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(tf.assign(net.rate,
                           0.1 * 0.5 ** i))
        print(sess.run([net.loss, net.train], {net.x: [[0.] * 7]})[0])
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("table", "one"),
    [
        ("w / tf.norm(w)", True),
        ("w - 1.0", True),
        ("tf.nn.l2_normalize(w, 1)", True),
        ("tf.split(w, 2)", False),
        ("[w, 2 * w]", False),
    ],
)
def test_a_tensor_that_has_a_name_is_one_table(table: str, one: bool) -> None:
    result = upgrade(TABLES.format(table=table))
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert ("compat.v1" not in after) is one, after


def test_an_attribute_that_only_is_a_variable_is_one_table() -> None:
    after = (upgrade(OBJECT).after or b"").decode()
    assert "compat.v1" not in after, after
    assert "tf.nn.embedding_lookup(self.table, tf.argmax(of, 1))" in after
    assert "net.rate.assign(0.1 * 0.5 ** i)" in after
