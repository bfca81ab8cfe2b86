"""Placeholders that say little of themselves: rates without a shape, names with an underscore."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

RATE = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
rate = tf.placeholder(tf.float32, {shape}name="rate")
w = tf.Variable([1.0, 2.0])
train_op = tf.train.AdamOptimizer(rate * 0.5).minimize(tf.reduce_sum(x * w))
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(train_op, {{x: [1.0, 2.0], rate: 0.1}})
"""
UNDERSCORE = """\
import tensorflow as tf


class Model:
    def __init__(self):
        self._x = tf.placeholder(tf.float32, [None])
        self._y = tf.reduce_sum(self._x * 2.0)
        self._z = tf.reduce_sum(self._x * 3.0)
        self.sess = tf.Session()

    def run(self, x):
        {run}


print(Model().run([1.0, 2.0]))
"""


def test_a_rate_without_a_shape_is_a_number() -> None:
    text = after(RATE.format(shape=""))
    assert "optimizer.learning_rate.assign(tf.reshape(rate * 0.5, []))" in text


def test_a_rate_with_a_shape_stays() -> None:
    text = after(RATE.format(shape="[], "))
    assert "optimizer.learning_rate.assign(rate * 0.5)" in text


def test_a_parameter_has_no_underscore_as_it_may_be_fed_by_its_name() -> None:
    by_place = "return self.sess.run(self._y, {self._x: x})"
    assert "return self.compute_y(x).numpy()" in after(UNDERSCORE.format(run=by_place))
    named = "feed = {self._x: x}\n        "
    named += "return self.sess.run(self._y, feed) + self.sess.run(self._z, feed)"
    text = after(UNDERSCORE.format(run=named))
    assert "def compute_y(x):\n            return tf.reduce_sum(x * 2.0)\n" in text
    assert 'feed = {"x": x}\n' in text


def test_a_name_with_an_underscore_that_another_has_without_it_is_fed_by_its_place_alone() -> None:
    build = UNDERSCORE.replace("tf.reduce_sum(self._x * 2.0)", "tf.reduce_sum(self._x * x)")
    build = build.replace("class Model", "x = 2.0\n\n\nclass Model")
    by_place = "return self.sess.run(self._y, {self._x: x})"
    assert "return tf.reduce_sum(_x * x)\n" in after(build.format(run=by_place))
    named = "feed = {self._x: x}\n        "
    named += "return self.sess.run(self._y, feed) + self.sess.run(self._z, feed)"
    assert "begins with an underscore" in stopped(build.format(run=named))


UNNEEDED = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
z = tf.placeholder(tf.float32, [None])
w = tf.Variable(2.0)
y = tf.reduce_sum(x * w)
loss = y + tf.reduce_sum(z)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run(loss, {{x: [1.0], z: [2.0]}}))
{run}
"""


def test_what_is_fed_and_not_needed_is_still_drawn() -> None:
    run = "a, b = sess.run([y, w], {x: [1.0], z: np.random.rand(3)})"
    text = after(UNNEEDED.format(run=run))
    assert "\nnp.random.rand(3)  # fed in TF 1, and not needed" in text
    assert "compute_y_and_w([1.0])" in text


def test_what_is_drawn_last_and_not_needed_stands_below() -> None:
    run = "a = sess.run(y, {x: np.random.rand(1), z: np.random.rand(3)})\nprint(a)"
    text = after(UNNEEDED.format(run=run))
    assert "compute_y(np.random.rand(1)).numpy()\nnp.random.rand(3)  # fed in TF 1" in text


@pytest.mark.parametrize(
    "run",
    [
        "a = sess.run(y, {x: draw(1), z: np.random.rand(3)}) + draw()",
        "a = [sess.run(y, {x: [1.0], z: np.random.rand(3)}) for i in range(2)]",
        "a = draw() + sess.run(y, {x: [1.0], z: np.random.rand(3)})",
    ],
)
def test_what_is_fed_and_not_needed_keeps_its_time(run: str) -> None:
    source = UNNEEDED.format(run=run).replace("sess = ", "draw = np.random.rand\nsess = ")
    assert "`z` is fed and not needed" in stopped(source)


def test_a_method_may_call_a_placeholder_as_its_parameter_is_called() -> None:
    build = UNDERSCORE.replace("tf.reduce_sum(self._x * 2.0)", "self.doubled(self._x)")
    helper = "    def doubled(self, x):\n        return tf.reduce_sum(x * 2.0)\n\n    def run"
    build = build.replace("    def run", helper)
    named = "feed = {self._x: x}\n        "
    named += "return self.sess.run(self._y, feed) + self.sess.run(self._z, feed)"
    text = after(build.format(run=named))
    assert "def compute_y(x):\n" in text
    assert 'feed = {"x": x}\n' in text
