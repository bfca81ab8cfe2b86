"""Datasets that are fetched ahead to a device, and `next` of what isn't the data's."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import re

import tensorflow as tf
from tensorflow.contrib.data import map_and_batch, prefetch_to_device, shuffle_and_repeat


class Net:
    def __init__(self, sess):
        self.sess = sess
        data = tf.data.Dataset.from_tensor_slices([[1.0, 2.0], [3.0, 4.0]])
        gpu = "/gpu:0"
        data = data.apply(shuffle_and_repeat(1)). \\
            apply(map_and_batch(lambda v: v * 2.0, 1, num_parallel_batches=2)). \\
            apply(prefetch_to_device(gpu, SIZE))
        self.x = data.make_one_shot_iterator().get_next()
        w = tf.Variable(tf.ones([2, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
        self.step = tf.train.GradientDescentOptimizer(0.01).minimize(self.loss)

    def train(self):
        count = int(next(re.finditer("[0-9]+", "step-3")).group(0))
        tf.global_variables_initializer().run()
        for i in range(count):
            print(self.sess.run([self.loss, self.step])[0])


with tf.Session() as sess:
    net = Net(sess)
    try:
        net.train()
    except CAUGHT:
        print("end")
"""


@pytest.mark.parametrize(("size", "said"), [("None", "tf.data.AUTOTUNE"), ("4", "4")])
def test_elements_are_fetched_ahead(size: str, said: str) -> None:
    text = after(PROGRAM.replace("SIZE", size).replace("CAUGHT", "KeyError"))
    assert f".map(lambda v: v * 2.0).batch(1).prefetch({said})" in text
    assert "next(re.finditer(" in text


@pytest.mark.parametrize("caught", ["tf.errors.OutOfRangeError", "(KeyError, StopIteration)"])
def test_an_end_that_is_caught_must_be_the_datas(caught: str) -> None:
    program = PROGRAM.replace("SIZE", "4").replace("CAUGHT", caught)
    assert "`next` of something else" in stopped(program)
