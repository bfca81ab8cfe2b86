"""A class whose `__init__` keeps Python's values, then resets the graph and builds its own."""

from __future__ import annotations

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

NET = """\
import tensorflow as tf

class Net:
    def __init__(self, n, one=False):
        if one is True:
            n = 1
        self.n = n
{before}        tf.reset_default_graph()
        self.build()
        self.saver = tf.train.Saver()

    def build(self):
        self.x = tf.placeholder(tf.float32, [None, self.n])
        self.w = tf.Variable(tf.ones([self.n, 2]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, self.w)))
        self.train_op = tf.train.GradientDescentOptimizer(.1).minimize(self.loss)

    def train(self, path):
        self.session = tf.Session()
        with self.session as sess:
            sess.run(tf.global_variables_initializer())
            for i in range(3):
                print(sess.run([self.loss, self.train_op], {{self.x: [[1, 2, 3]]}})[0])
            self.saver.save(sess, path)

net = Net(3)
net.train('model/net')
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": source.encode()}, Options())
    return result


def test_what_is_kept_before_the_reset_is_no_part_of_the_graph() -> None:
    result = upgrade(NET.format(before=""))
    after = (result.after or b"").decode()
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "self.saver = Checkpoints(tf.train.Checkpoint(w=self.w" in after
    assert "reset_default_graph" not in after


def test_a_part_of_the_graph_that_is_gone_keeps_the_session() -> None:
    result = upgrade(NET.format(before="        self.scale = tf.Variable(2.0)\n"))
    assert result.level is Level.COMPAT
