"""Methods that build the graph which other methods of their class run."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """
import tensorflow as tf


class Net:
    def __init__(self, size):
        self.size = size

    def build(self):
        x = tf.placeholder(tf.float32, [None, self.size])
        w = tf.get_variable('w', [self.size, 1])
        out = tf.matmul(x, w)
        loss = tf.reduce_mean(tf.square(out))
        return x, loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss), out

    def train(self, rows):
        x, loss, train_op, out = self.build()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train_op, {x: rows})
            saver.save(sess, 'net.ckpt')

    def show(self, rows):
        x, loss, train_op, out = self.build()
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, 'net.ckpt')
            print(sess.run(out, {x: rows}))


net = Net(3)
net.train([[1., 2., 3.]])
"""


def test_the_method_stands_where_it_is_called() -> None:
    text = after(PROGRAM)
    assert "def build" not in text
    assert text.count("x = tf.TensorSpec([None, self.size], tf.float32)\n") == 2
    assert text.count("saver = tf.train.Checkpoint(w=w") == 2


def test_methods_that_are_both_called_keep_the_session() -> None:
    """Their graph is one, in which the second call finds what the first has made."""
    stopped(PROGRAM + "net.show([[1., 2., 3.]])\n")


def test_an_object_that_has_a_part_of_a_graph_keeps_the_session() -> None:
    kept = "        self.size = size\n        self.more = tf.get_variable('more', [1])\n"
    reads = PROGRAM.replace("tf.matmul(x, w)", "tf.matmul(x, w) + self.more")
    stopped(reads.replace("        self.size = size\n", kept))
