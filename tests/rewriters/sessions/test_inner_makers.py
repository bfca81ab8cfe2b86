"""Methods that build in a function of their own, and sessions that each way of a branch opens."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import sys
import numpy as np
import tensorflow as tf


class Net:
    def __init__(self, size, path):
        self.size = size
        self.path = path

        def build():
            tf.reset_default_graph()
            x_ = tf.placeholder(tf.float32, [None, None, size])
            y_ = tf.placeholder(tf.float32, [None, size])
            w = tf.get_variable("w", [size, size])

            def step(before, now):
                mixed = tf.matmul(now, w)
                return tf.tanh(before + mixed)

            states = tf.scan(step, tf.transpose(x_, [1, 0, 2]), initializer=tf.zeros_like(y_))
            last = states[-1]
            loss = tf.reduce_mean(tf.square(last - y_))
            train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            self.x_ = x_
            self.y_ = y_
            self.last = last
            self.loss = loss
            self.train_op = train_op

        sys.stdout.write("building ")
        build()
        sys.stdout.write("built")

    def train(self, x, y):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            _, loss = sess.run([self.train_op, self.loss], {self.x_: x, self.y_: y})
            print(loss)
            saver = tf.train.Saver()
            saver.save(sess, self.path)

    def apply(self, x, y):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            saver = tf.train.Saver()
            state = tf.train.get_checkpoint_state("saved")
            if state and state.model_checkpoint_path:
                saver.restore(sess, state.model_checkpoint_path)
            return sess.run(self.last, {self.x_: x, self.y_: y})


"""
MAIN = """\
net = Net(2, "saved/model")
x, y = np.ones([3, 4, 2]), np.zeros([3, 2])
if sys.argv[1] == "train":
    net.train(x, y)
elif sys.argv[1] == "apply":
    print(net.apply(x, y))
"""


def test_what_is_built_in_a_function_of_the_method_stands_in_the_method() -> None:
    text = after(NET + MAIN)
    assert "def build" not in text
    written = text.index('write("building ")'), text.index("self.x_ = "), text.index('"built"')
    assert list(written) == sorted(written)
    assert "tf.Session" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        build()\n", "        build()\n        build()\n"),
        ("        build()\n", "        for _ in range(1):\n            build()\n"),
        ("        build()\n", "        made = build\n        made()\n"),
        ("        build()\n", "        if len(sys.argv) > 2:\n            build()\n"),
        ("            tf.reset",
         "            nonlocal size\n            size = 2\n            tf.reset"),
    ],
)  # fmt: skip
def test_what_may_be_built_again_or_changes_the_methods_names_keeps_the_session(
    old: str, new: str
) -> None:
    source = (NET + MAIN).replace(old, new)
    assert source != NET + MAIN
    stopped(source)


def test_a_name_that_the_method_has_too_is_another_one() -> None:
    mine = NET.replace("        def build():", "        loss = 0.5\n\n        def build():")
    mine = mine.replace('("built")', '("built %s" % loss)')
    text = after(mine + MAIN)
    assert "loss = 0.5" in text
    assert '"built %s" % loss)' in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # a second session after the first one
        ("elif sys", "if sys"),
        # rounds go both ways
        ('if sys.argv[1] == "train":\n    net.train(x, y)\nelif sys.argv[1] == "apply":\n'
         "    print(net.apply(x, y))\n",
         "for way in sys.argv[1:]:\n    if way == 'train':\n        net.train(x, y)\n"
         "    else:\n        print(net.apply(x, y))\n"),
        # one behind the branch
        ("elif sys.argv[1] == \"apply\":\n    print(net.apply(x, y))\n",
         "else:\n    print(1)\nprint(net.apply(x, y))\n"),
    ],
)  # fmt: skip
def test_sessions_that_may_follow_each_other_start_anew(old: str, new: str) -> None:
    source = (NET + MAIN).replace(old, new)
    assert source != NET + MAIN
    stopped(source)


def test_sessions_of_a_branch_follow_one_before_it() -> None:
    before = "net.train(x, y)\nif sys"
    stopped((NET + MAIN).replace("if sys", before, 1))


def test_a_placeholder_that_an_inner_function_reads_keeps_its_name() -> None:
    text = NET.replace("before + mixed", "before + mixed + 0.0 * y_")
    stopped(text + MAIN)
