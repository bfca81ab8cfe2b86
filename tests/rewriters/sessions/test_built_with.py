"""Objects whose method builds with the placeholder that it is given: `vgg.build(images)`."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import inspect
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self):
        print(inspect.getfile(Net))
        self.weights = {"fc": [np.ones((3, 2), "f"), np.zeros(2, "f")]}

    def build(self, images):
        scaled = images * 255.0
        self.fc = self.dense(scaled, "fc")
        self.prob = tf.nn.softmax(self.fc, name="prob")
        self.weights = None

    def dense(self, x, name):
        with tf.variable_scope(name):
            return tf.matmul(x, self.get(name, 0)) + self.get(name, 1)

    def get(self, name, i):
        return tf.constant(self.weights[name][i])


with tf.Session() as sess:
    batch = tf.placeholder("float", [None, 3])
    feed = {batch: np.ones((2, 3))}
    net = Net()
    with tf.name_scope("content"):
        net.build(batch)
    print(sess.run(net.prob, feed_dict=feed))
"""


def test_the_method_s_function_is_given_what_the_placeholder_was_fed() -> None:
    text = after(PROGRAM)
    assert "        @tf.function(input_signature=[images])\n" in text
    assert "            scaled = images * 255.0\n" in text
    assert 'batch = tf.TensorSpec([None, 3], "float")\n' in text
    assert 'feed = {"images": np.ones((2, 3))}\n' in text
    assert "net.build(batch)\n" in text
    assert "print(inspect.getfile(Net))" in text


def test_what_is_forgotten_when_the_graph_is_built_stays() -> None:
    assert "self.weights = None" not in after(PROGRAM)


@pytest.mark.parametrize("asks", ["print(net.weights)", "print(net.weights is None)"])
def test_what_something_asks_for_isn_t_only_forgotten(asks: str) -> None:
    assert "changes later" in stopped(f"{PROGRAM}{asks}\n")


def test_a_placeholder_of_its_own_is_no_other_one() -> None:
    made = '    batch = tf.placeholder("float", [None, 3])\n'
    own = PROGRAM.replace(made, "    net = Net()\n").replace("{batch:", "{net.x:")
    begins = "        self.weights = {"
    own = own.replace(begins, f"    {made.replace('batch', 'self.x')}{begins}")
    own = own.replace("    net = Net()\n    with", "    with").replace(
        "build(batch)", "build(net.x)"
    )
    assert "given a placeholder" in stopped(own)
