"""Nets whose weights SciPy loads: the file is read where the net is built, in each function."""

from __future__ import annotations

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import scipy.io
import tensorflow as tf


def net(path, image):
    data = {load}(path)
    current = image
    for kernel, bias in zip(data["kernels"][0], data["biases"][0]):
        current = tf.nn.relu(tf.matmul(current, tf.constant(kernel)) + bias)
    return current


image = tf.placeholder(tf.float32, [None, 4])
features = net("weights.mat", image)
with tf.Session() as sess:
    print(features.eval(feed_dict={{image: [[1.0, 2.0, 3.0, 4.0]]}}))
"""


def test_weights_that_scipy_loads() -> None:
    text = after(PROGRAM.format(load="scipy.io.loadmat"))
    assert '    return net("weights.mat", image)\n' in text
    assert "    data = scipy.io.loadmat(path)\n" in text


def test_a_reader_of_which_nothing_is_known() -> None:
    assert stopped(PROGRAM.format(load="scipy.io.counted")) == "6: `scipy.io.counted` is called"
