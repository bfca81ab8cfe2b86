"""What raises an error in TF 1 and in TF 2 once it is reached keeps no session."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self):
        self.b = tf.Variable(tf.zeros([3]))
        self.hidden = tf.placeholder(tf.float32, [None, 3])
        self.out = self.hidden + self.b
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def generate(self, hidden=None):
        if hidden is None:
            hidden = {drawn}
        return self.sess.run(self.out, feed_dict={{self.hidden: hidden}})


print(Net().generate([[1.0, 2.0, 3.0]]))
"""


@pytest.mark.parametrize("called", ["normal", "uniform"])
def test_a_variable_where_numpy_wants_a_size(called: str) -> None:
    drawn = f"np.random.{called}(size=self.b)"
    assert drawn in after(PROGRAM.format(drawn=drawn))


@pytest.mark.parametrize("drawn", ["np.random.normal(loc=self.b)", "np.random.permutation(self.b)"])
def test_other_arguments_stay(drawn: str) -> None:
    stopped(PROGRAM.format(drawn=drawn))
