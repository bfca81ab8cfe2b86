"""A class that is given an optimizer's class and its keywords is given the optimizer."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import tensorflow as tf

LR = 0.1


class Net(object):
    def __init__(self, opt, **kwargs):
        self.x = tf.placeholder(tf.float32, [None, 3])
        self.loss = tf.reduce_mean(tf.layers.dense(self.x, 1))
        self.train = opt({rate}, **kwargs).minimize(self.loss)


{made}
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for net in [a, b]:
    sess.run(net.train, {{net.x: [[1, 2, 3]]}})
"""
PLAIN = "a = Net(tf.train.GradientDescentOptimizer)\n"
MADE = PLAIN + "b = Net(tf.train.MomentumOptimizer, momentum=0.9)\n"


def test_the_optimizer_is_made_where_its_class_is_named() -> None:
    text = after(SOURCE.format(rate="LR", made=MADE))
    assert "def __init__(self, opt):" in text
    assert "a = Net(tf.keras.optimizers.SGD(LR))" in text
    assert "b = Net(tf.keras.optimizers.SGD(LR, momentum=0.9))" in text


@pytest.mark.parametrize(
    ("rate", "made"),
    [
        ("float(LR)", MADE),  # computed where the object is made
        ("LR", f"LR = 0.2\n{MADE}"),  # another rate at each call
        ("LR", MADE.replace("momentum=0.9", "**{'momentum': 0.9}")),
        ("LR", "kinds = [tf.train.AdamOptimizer]\n" + PLAIN + "b = Net(kinds[0])\n"),
    ],
)
def test_what_differs_at_the_calls_stays(rate: str, made: str) -> None:
    assert "hides arguments" in stopped(SOURCE.format(rate=rate, made=made))
