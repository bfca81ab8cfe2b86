"""``self.cost = cost``: in a function the two are one, and nothing is written for it."""

from __future__ import annotations

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        w = tf.Variable(tf.ones([3, 2]), name='w')
        encoded = tf.nn.tanh(tf.matmul(self.x, w))
        decoded = tf.matmul(encoded, w, transpose_b=True)
        self.encoded = encoded
        COMMENTself.decoded = decoded
        self.loss = tf.reduce_mean(tf.square(self.x - self.decoded))
        self.train_op = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def train(self, rows):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([self.loss, self.train_op], {self.x: rows})[0])
            hidden, again = sess.run([self.encoded, self.decoded], {self.x: rows})
            print(hidden, again)


Model().train(np.ones((2, 3), np.float32))
"""
SHARED = """\
        def compute_encoded_and_decoded(x):
            encoded = tf.nn.tanh(tf.matmul(x, w))
            decoded = tf.matmul(encoded, w, transpose_b=True)
            return encoded, decoded
"""


def upgrade(comment: str) -> str:
    source = PROGRAM.replace("COMMENT", comment and f"{comment}\n        ")
    (result,) = texts({"program.py": source.encode()}, Options())
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    return (result.after or b"").decode()


def test_what_an_object_keeps_is_no_statement_of_a_shared_function() -> None:
    """The run that fetches what the helper gives is the helper: it isn't written twice."""
    text = upgrade("")
    assert f"        @tf.function(input_signature=[self.x])\n{SHARED}" in text
    assert "encoded, decoded = compute_encoded_and_decoded(x)" in text
    assert text.count("def compute") == 1
    assert "decoded = decoded" not in text


def test_a_comment_above_it_stays() -> None:
    text = upgrade("# What came back.")
    assert "# What came back." in text
    assert "decoded = decoded" not in text
