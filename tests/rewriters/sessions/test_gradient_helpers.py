"""Helpers that take gradients, called inside an expression; what of them is left over goes."""

from __future__ import annotations

import pytest

from migrate.engine.document import read
from migrate.engine.findings import Edit
from migrate.engine.source import apply
from migrate.rewriters.sessions.emptied import without_emptied
from tests.rewriters.sessions.test_sessions import after, stopped

FUNCTIONS = """import tensorflow as tf
def critic(x, reuse=False):
    with tf.variable_scope("critic", reuse=reuse):
        return tf.layers.dense(x, 1)
def penalty(real, fake):
    middle = 0.5 * (real + fake)
    slope = tf.gradients(critic(middle, reuse=True), middle)[0]
    return tf.reduce_mean(tf.square(slope))
x = tf.placeholder(tf.float32, [None, 2])
z = tf.placeholder(tf.float32, [None, 2])
real = critic(x)
fake = critic(z, reuse=True)
{loss}
train = tf.train.AdamOptimizer().minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([train, loss], {{x: [[1.0, 2.0]], z: [[1.0, 0.0]]}})[1])
"""
INSIDE = "loss = tf.reduce_mean(real) - tf.reduce_mean(fake) + 10.0 * penalty(x, z)"


def test_a_helper_s_result_gets_a_name() -> None:
    text = after(FUNCTIONS.format(loss=INSIDE))
    assert "penalty_value = tf.reduce_mean(tf.square(slope))" in text
    assert "+ 10.0 * penalty_value" in text
    assert "def penalty" not in text


@pytest.mark.parametrize(
    "loss",
    [
        # its way may not be taken
        "loss = tf.reduce_mean(real - fake) + (penalty(x, z) if len('ab') > 1 else 0.0)",
        "loss = tf.reduce_mean(real - fake) + sum(penalty(x, z) for _ in range(2))",
        # another function's variables would come later
        "loss = tf.reduce_mean(tf.layers.dense(x, 2)) + other(x) * penalty(x, z)",
    ],
)
def test_what_may_not_be_called_first_keeps_the_session(loss: str) -> None:
    other = "def other(x):\n    return tf.reduce_mean(tf.layers.dense(x, 3))\ndef penalty"
    assert stopped(FUNCTIONS.replace("def penalty", other).format(loss=loss))


METHODS = """import tensorflow as tf
class Gan:
    def __init__(self):
        self.build()
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())
    def critic(self, x, reuse=False):
        with tf.variable_scope("critic", reuse=reuse):
            return tf.layers.dense(x, 1)
    def penalty(self, real, fake):
        middle = 0.5 * (real + fake)
        slope = tf.gradients(self.critic(middle, reuse=True), middle)[0]
        return tf.reduce_mean(tf.square(slope))
    def build(self):
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.z = tf.placeholder(tf.float32, [None, 2])
        real = self.critic(self.x)
        fake = self.critic(self.z, reuse=True)
        self.loss = tf.reduce_mean(real - fake) + 10.0 * self.penalty(self.x, self.z)
        self.train = tf.train.AdamOptimizer().minimize(self.loss)
    def step(self, x, z):
        return self.sess.run([self.train, self.loss], {self.x: x, self.z: z})[1]
print(Gan().step([[1.0, 2.0]], [[1.0, 0.0]]))
"""


def test_a_method_s_result_gets_a_name_and_nothing_is_left_of_it() -> None:
    text = after(METHODS)
    assert "penalty_value = tf.reduce_mean(tf.square(slope))" in text
    assert "def penalty" not in text
    assert "self.penalty()" not in text


def test_a_method_that_another_name_reads_stays() -> None:
    text = after(METHODS + "print(hasattr(Gan, 'penalty'))\n")
    assert "def penalty(self):\n        pass" in text


def test_a_method_that_only_passed_stays() -> None:
    text = after(
        METHODS.replace("    def step", "    def begin(self):\n        pass\n    def step").replace(
            "        self.build()\n", "        self.begin()\n        self.build()\n"
        )
    )
    assert "self.begin()" in text
    assert "def begin(self):\n        pass" in text


TWO = """class A:
    def first(self):
        self.x = 1

    def second(self):
        self.y = 2

    def both(self):
        self.first()
        self.second()
"""


def test_a_method_that_only_calls_what_is_left_empty_keeps_a_body() -> None:
    document = read("program.py", TWO.encode())
    edits = [
        Edit(TWO.index(line), TWO.index(line) + len(line), "pass")
        for line in ("self.x = 1", "self.y = 2")
    ]
    text = apply(TWO, without_emptied(document, edits, []))
    compile(text, "program", "exec")
    assert ("self.first()" in text) != ("self.second()" in text)


def test_a_program_that_looks_names_up_keeps_what_is_left_empty() -> None:
    assert "def penalty(self):\n        pass" in after(METHODS + "print(getattr(Gan, input()))\n")
