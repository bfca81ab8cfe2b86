"""Functions that hand on all that they are given."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        w = tf.Variable(tf.ones([2, 1]))
        self.loss = tf.reduce_mean(tf.square(tf.matmul(self.x, w)))
        opt = self.optimizer(0.1, momentum=0.5)
        self.train = opt.minimize(self.loss)

    def optimizer(self, *args, **kwargs):
        \"\"\"The one that is used.\"\"\"
        return tf.train.MomentumOptimizer(*args, **kwargs)

    def run(self):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([self.train, self.loss], {self.x: [[1.0, 2.0]]})[1])


Net().run()
"""


def test_what_they_call_stands_where_they_are_called() -> None:
    text = after(PROGRAM)
    assert "SGD(0.1, momentum=0.5)" in text
    assert "def optimizer" not in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(*args, **kwargs)\n\n", "(*args, use_nesterov=True, **kwargs)\n\n"),
        ("Net().run()", "net = Net()\nprint(net.optimizer)\nnet.run()"),
        (
            "class Net(object):",
            "class Base(object):\n    def optimizer(self):\n        pass\n\n\nclass Net(Base):",
        ),
    ],
)
def test_others_stay(old: str, new: str) -> None:
    assert old in PROGRAM
    stopped(PROGRAM.replace(old, new))
