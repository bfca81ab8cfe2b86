"""A scope's ``reuse`` that all calls of a function leave alone, or give one and the same."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after

PROGRAM = """\
import tensorflow as tf


class Model:
    def __init__(self, n, reuse=None):
        self.x = tf.placeholder(tf.float32, [None, n])
        with tf.variable_scope("model", reuse=reuse):
            h = block(self.x, n, reuse=reuse)
            self.loss = tf.reduce_mean(h)
        self.train = tf.train.GradientDescentOptimizer(0.1).minimize(self.loss)


def block(x, n, reuse=None):
    with tf.variable_scope("block", reuse=reuse):
        return tf.layers.dense(x, n) + x


{before}
model = Model({arguments})
sess = tf.Session()
sess.run(tf.global_variables_initializer())
sess.run(model.train, {{model.x: [[1.0, 2.0]]}})
"""


@pytest.mark.parametrize("arguments", ["2", "2, None", "2, reuse=False", "n=2"])
def test_nobody_tells_the_model(arguments: str) -> None:
    text = after(PROGRAM.format(arguments=arguments, before=""))
    assert "_layer = block(n)\n" in text
    assert "variable_scope" not in text


@pytest.mark.parametrize(
    ("arguments", "before"),
    [
        ("2, reuse=again", "again = bool(input())"),
        ("2, **more", "more = {'reuse': False}"),
    ],
)
def test_what_is_computed_is_true_of_what_is_there(arguments: str, before: str) -> None:
    text = after(PROGRAM.format(arguments=arguments, before=before))
    assert text.count(" = block(n)") == 1


def test_a_parameter_that_is_set_again() -> None:
    source = PROGRAM.format(arguments="2", before="").replace(
        "        self.x =", "        reuse = n > 2 or None\n        self.x ="
    )
    assert after(source).count(" = block(n)") == 1
