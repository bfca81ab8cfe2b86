"""Variables' names that are only compared with each other, and what stands around them."""

from __future__ import annotations

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts
from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import numpy as np
import tensorflow as tf


class Net(object):
    def __init__(self, hops, act=None, name="net", session=tf.Session()):
        self.hops, self.act, self.name = hops, act, name
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.make()
        y = self.infer(self.x)
        self.loss = tf.reduce_sum(tf.square(y))
        opt = tf.train.GradientDescentOptimizer(0.01)
        pairs = []
        for g, v in opt.compute_gradients(self.loss):
            if v.name in self.fixed:
                pairs.append((halved(g), v))
            else:
                pairs.append((g, v))
        self.step = opt.apply_gradients(pairs)
        self.sess = session
        self.sess.run(tf.global_variables_initializer())

    def make(self):
        with tf.variable_scope(self.name):
            self.a = tf.Variable(tf.ones([3, 3]), name="A")
            self.c = []
            for hop in range(self.hops):
                with tf.variable_scope("hop_{}".format(hop)):
                    self.c.append(tf.Variable(tf.ones([3, 3]), name="C"))
        self.fixed = set([self.a.name] + [v.name for v in self.c])

    def infer(self, x):
        with tf.variable_scope(self.name):
            u = [tf.matmul(x, self.a)]
            for hop in range(self.hops):
                if hop == 0:
                    m = u[-1] + 1.0
                else:
                    with tf.variable_scope("hop_{}".format(hop - 1)):
                        m = u[-1] - 1.0
                with tf.variable_scope("hop_{}".format(hop)):
                    m = tf.matmul(m, self.c[hop])
                if self.act:
                    m = act(m)
                u.append(m)
            return u[-1]

    def fit(self, x):
        return self.sess.run([self.loss, self.step], {self.x: x})[0]

    def cost(self, x):
        return self.sess.run(self.loss, {self.x: x})


def halved(t, name=None):
    with tf.op_scope([t], name, "halved") as name:
        return tf.multiply(t, 0.5, name=name)
"""
RUN = """

with tf.Session() as sess:
    net = Net(2, session=sess)
    for i in range(3):
        print(net.fit(np.ones([2, 3])))
"""


def test_a_set_of_names_that_is_searched() -> None:
    text = after(NET + RUN)
    assert "name=f'{self.name}/hop_{hop}/C'" in text
    assert "if v.name in self.fixed:" in text


def test_names_that_are_shown() -> None:
    program = NET + RUN + "    print(net.fixed)\n"
    assert "a name is read that TF 1 has made" in stopped(program)


def test_names_that_are_looked_for() -> None:
    program = NET.replace("in self.fixed:", "in ('net/A:0',):") + RUN
    assert "a name is read that TF 1 has made" in stopped(program)


def test_two_variables_of_one_name() -> None:
    program = NET.replace('name="A")', 'name="A")\n            self.b = tf.Variable(1.0, name="A")')
    assert "a name is read that TF 1 has made" in stopped(program + RUN)


def test_blocks_in_a_block_that_goes() -> None:
    text = after(NET + RUN)
    assert "            else:\n                m = u[-1] - 1.0\n" in text


def test_an_op_has_the_name_of_its_scope() -> None:
    text = after(NET + RUN)
    assert 'with tf.name_scope("halved" if name is None else name) as name:' in text
    assert "tf.multiply(t, 0.5, name=name)" in text


def test_a_function_that_nothing_binds_is_called_where_it_stops() -> None:
    assert "                m = act(m)\n" in after(NET + RUN)


@pytest.mark.parametrize("bound", ["from acts import *\n", "from acts import act\n", "act = f\n"])
def test_a_function_that_something_may_bind(bound: str) -> None:
    assert "a tensor is given to `act`" in stopped(
        NET.replace("\n\n\nclass", f"\n{bound}\n\nclass") + RUN
    )


def test_methods_that_no_program_calls() -> None:
    files = {
        "net.py": NET,
        "one.py": "from net import *\n" + RUN,
        "two.py": "from net import *\n" + RUN.replace("range(3)", "range(4)"),
    }
    for result in texts({k: v.encode() for k, v in files.items()}, Options()):
        assert result.level is Level.NATIVE, [f.message for f in result.left]
