"""Methods that ask their base class for what it computes of the object's tensors."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf


class Base:
    def __init__(self):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.out = self.inference()
        self.loss = self.add_loss()
        self.step = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)

    def inference(self):
        raise NotImplementedError

    def add_loss(self):
        return tf.reduce_mean(tf.square(self.out))


class Net(Base):
    def inference(self):
        w = tf.get_variable("w", [3, 1])
        return tf.matmul(self.x, w)

    def add_loss(self):
        loss = {}
        return loss + 0.5 * tf.reduce_mean(tf.abs(self.out))

    @property
    def name(self):
        return self.__class__.__name__


net = Net()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(net.name, sess.run([net.step, net.loss], {{net.x: np.ones((2, 3))}})[1])
"""


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("super(Net, self).add_loss()", "super(Net, self).add_loss(out)"),
        ("super().add_loss()", "super().add_loss(out)"),
        ("Base.add_loss(self)", "Base.add_loss(self, out)"),
    ],
)
def test_a_base_is_given_what_its_method_reads(call: str, given: str) -> None:
    text = after(PROGRAM.format(call))
    assert text.count("    def add_loss(self, out):\n") == 2
    assert f"        loss = {given}\n" in text
    assert "tf.reduce_mean(tf.abs(out))" in text
    assert "self.add_loss(out)" in text
    assert "print(net.name, " in text


def test_another_method_gives_the_base_its_own_attribute() -> None:
    program = PROGRAM.format("super().add_loss()").replace(
        "self.loss = self.add", "self.loss = self.my"
    )
    program = program.replace(
        "    def add_loss(self):\n        loss", "    def my_loss(self):\n        loss"
    )
    text = after(program)
    assert "    def my_loss(self, out):\n        loss = super().add_loss(out)\n" in text


def test_a_class_that_is_asked_for_more_than_its_name_keeps_the_session() -> None:
    program = PROGRAM.format("super().add_loss()")
    assert "a method is given to" in stopped(program.replace(".__name__", ".__dict__"))
