"""Iterators that begin with one dataset or another."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after


def test_an_iterator_begins_with_a_dataset_that_an_object_has() -> None:
    source = """\
import numpy as np
import tensorflow as tf


class Rows(object):
    def __init__(self, n):
        self.data = tf.data.Dataset.from_tensor_slices(np.ones([n, 3], np.float32)).batch(2)


train, valid = Rows(6), Rows(4)
iterator = tf.data.Iterator.from_structure(train.data.output_types, train.data.output_shapes)
batch = iterator.get_next()
train_init = iterator.make_initializer(train.data)
valid_init = iterator.make_initializer(valid.data)
w = tf.Variable(tf.ones([3, 1]))
loss = tf.reduce_mean(tf.matmul(batch, w))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for init in range(2):
        sess.run(train_init)
        print(sess.run(loss))
        sess.run(valid_init)
        print(sess.run(loss))
"""
    found = after(source)
    assert "dataset = train.data\ndataset_2 = valid.data\n" in found
    assert "    iterator = iter(dataset)\n" in found
    assert "    iterator = iter(dataset_2)\n" in found
