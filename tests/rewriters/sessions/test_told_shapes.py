"""Layers that are built with a shape that the program's numbers tell."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, sess, size):
        self.sess = sess
        self.x = tf.placeholder(tf.float32, [None, size, size, 2])
        self.y = self.build("main")
        self.z = self.build("target")

    def build(self, name):
        with tf.variable_scope(name):
            return tf.layers.dense(tf.layers.flatten(self.x), 3)

    def copy(self):
        main = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="main")
        target = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="target")
        self.sess.run([t.assign(m) for m, t in zip(main, target)])


"""
RUN = """\
sess = tf.Session()
net = Net(sess, 4)
sess.run(tf.global_variables_initializer())
for _ in range(2):
    net.copy()
print(sess.run([net.y, net.z], {net.x: np.ones([1, 4, 4, 2])}))
"""


def test_behind_a_flattened_input() -> None:
    text = after(NET + RUN)
    assert "dense_layer.build([None, 32])" in text
    assert "for m, t in zip(main, target):\n            t.assign(m)" in text


@pytest.mark.parametrize(
    "run",
    [
        RUN.replace("Net(sess, 4)", "Net(sess, int(input()))"),
        RUN.replace("net = Net(sess, 4)", "make = Net\nnet = make(sess, *[4])"),
    ],
)
def test_a_size_that_is_not_told_keeps_the_session(run: str) -> None:
    assert stopped(NET + run)


TWO = (
    NET
    + """
def train():
    sess = tf.Session()
    net = Net(sess, 4)
    {more}
    sess.run(tf.global_variables_initializer())
    for _ in range(2):
        net.copy()
    tf.train.Saver().save(sess, "kept/net")


def play():
    sess = tf.Session()
    net = Net(sess, 4)
    tf.train.Saver().restore(sess, "kept/net")
    print(sess.run([net.y, net.z], {{net.x: np.ones([1, 4, 4, 2])}}))


if tf.app.flags.FLAGS.train:
    train()
else:
    play()
"""
)


def test_two_graphs_whose_class_makes_all_variables() -> None:
    text = after(TWO.format(more="print('made')"))
    assert "t.assign(m)" in text


def test_two_graphs_with_further_variables() -> None:
    assert stopped(TWO.format(more="tf.get_variable('w', [2])"))


def test_what_a_method_of_another_file_copies() -> None:
    head, rest = NET + RUN, "import tensorflow as tf\nimport numpy as np\nfrom net import Net\n\n"
    given = {"net.py": head[: head.index("sess = tf")].encode(), "main.py": (rest + RUN).encode()}
    found = texts(given, Options())
    assert [r.level for r in found] == [Level.NATIVE, Level.NATIVE]
