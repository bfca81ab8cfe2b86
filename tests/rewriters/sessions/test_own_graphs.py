"""Objects of a class that each make a graph of their own: nothing in it is another object's."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net:
    def __init__(self, size):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.build(size)
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)
        self.sess.run(self.init)

    def build(self, size):
        self.x = tf.placeholder(tf.float32, [None, 2])
        h = tf.layers.dense(self.x, size, kernel_regularizer=tf.contrib.layers.l2_regularizer(0.1))
        h = tf.layers.batch_normalization(h, training=True)
        self.loss = tf.reduce_mean(h ** 2) + tf.losses.get_regularization_loss()
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)
        tf.summary.scalar("loss", self.loss)
        self.merged = tf.summary.merge_all()

    def fit(self, x, writer):
        loss, _, summary = self.sess.run([self.loss, self.step, self.merged], {self.x: x})
        writer.add_summary(summary, 0)
        return loss


writer = tf.summary.FileWriter("logs")
one, two = Net(3), Net(4)
print(one.fit([[1.0, 2.0], [3.0, 1.0]], writer), two.fit([[1.0, 2.0], [3.0, 2.0]], writer))
"""


def test_collections_and_summaries_are_each_object_s() -> None:
    text = after(PROGRAM)
    assert "one, two = Net(3), Net(4)\n" in text
    assert "graph" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        self.graph = tf.Graph()\n", "        self.graph = tf.get_default_graph()\n"),
        ("one, two =", "shared = tf.Graph()\none, two ="),
    ],
)
def test_one_graph_of_all_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    text = PROGRAM.replace(old, new)
    if "shared" in new:
        text = text.replace(
            "(self, size):\n        self.graph = tf.Graph()",
            "(self, size, graph):\n        self.graph = graph",
        )
        text = text.replace("Net(3), Net(4)", "Net(3, shared), Net(4, shared)")
    stopped(text)
