"""Variables that local functions and other objects' methods make: lists of variables have them."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import functools

import numpy as np
import tensorflow as tf

TOP

def main():
    x = tf.placeholder(tf.float32, [None, 3])
INNER
    w = CALL
    b = tf.Variable(tf.ones([2]), name="b")
    out = tf.matmul(x, w) + b
    loss = tf.reduce_sum(tf.square(out))
    t_vars = tf.trainable_variables()
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, var_list=t_vars)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([loss, train], {x: np.ones([2, 3])})[0])
        saver.save(sess, "model.ckpt")


main()
"""
NEW = "def new(shape):\n    return tf.Variable(tf.ones(shape))\n"
LOCAL = "    def new(shape):\n        return tf.Variable(tf.ones(shape))\n"
OBJECT = (
    "class Maker(object):\n    def new(self, shape):\n        return tf.Variable(tf.ones(shape))\n"
)
CASES = {
    "local": ("", LOCAL, "new([3, 2])"),
    "shadows": ("def new(shape):\n    return shape\n", LOCAL, "new([3, 2])"),
    "inside": (
        "",
        "    def outer(shape):\n    "
        + LOCAL.replace("\n    ", "\n        ")
        + "        return new(shape)\n",
        "outer([3, 2])",
    ),
    "alias": (NEW + "old = new\n", "", "old([3, 2])"),
    "either": (NEW, "", "(new if len(str(x)) else new)([3, 2])"),
    "object": (OBJECT + "\n\nmaker = Maker()\n", "", "maker.new([3, 2])"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_trained_and_saved_has_them(name: str) -> None:
    top, inner, call = CASES[name]
    program = PROGRAM.replace("TOP", top).replace("INNER", inner).replace("CALL", call)
    text = after(program)
    assert "    t_vars = [w, b]\n" in text
    assert "tf.train.Checkpoint(w=w, b=b, optimizer=optimizer)" in text


def test_a_saver_of_what_a_local_function_of_a_method_makes() -> None:
    text = after(
        """\
import numpy as np
import tensorflow as tf


class Model:
    def __init__(self, sizes):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.sizes = sizes
        self.add_model()
        self.train = tf.train.AdamOptimizer(0.1).minimize(self.loss)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
        self.saver = tf.train.Saver()

    def add_model(self):
        def new(shape, name):
            return tf.Variable(tf.truncated_normal(shape, stddev=0.1), name=name)

        w = new([3, self.sizes[0]], "w")
        out = tf.matmul(self.x, w)
        for i in range(len(self.sizes) - 1):
            v = new([self.sizes[i], self.sizes[i + 1]], "v" + str(i))
            out = tf.nn.relu(tf.matmul(out, v))
        self.loss = tf.reduce_sum(out)

    def run(self):
        print(self.sess.run([self.loss, self.train], {self.x: np.ones([2, 3])})[0])
        self.saver.save(self.sess, "model.ckpt")


Model([4, 2, 3]).run()
"""
    )
    assert "self.saver = tf.train.Checkpoint(w=self.w, vs=self.vs, optimizer=optimizer)\n" in text
    assert "        self.w = new([3, self.sizes[0]], " in text
