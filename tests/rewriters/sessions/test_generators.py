"""Functions that run a session and yield what it gives."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

SOURCE = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None])
w = tf.Variable(2.0)
y = x * w
double = tf.assign(w, w * 2.0)


def results(sess, rounds):
    for i in range(rounds):
        yield sess.run(y, {x: np.ones(2)})
        sess.run(double)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for value in results(sess, 3):
        print(value)
"""


def test_a_generator_yields_what_it_runs() -> None:
    text = after(SOURCE)
    assert "def results(rounds):" in text
    assert "        yield compute_y(np.ones(2)).numpy()\n" in text
    assert "for value in results(3):" in text


LOOP = "    for i in range"
STARTS = "    sess.run(tf.global_variables_initializer())\n"
BUILDS = "    z = y + 1.0\n    print(sess.run(z, {x: [1.0]}))\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LOOP, STARTS + LOOP),
        (LOOP, BUILDS + LOOP),
        ("yield sess.run(y, {x: np.ones(2)})", "yield y"),
    ],
)
def test_a_generator_that_builds_or_starts_keeps_the_session(old: str, new: str) -> None:
    assert stopped(SOURCE.replace(old, new, 1))


INNER = """\
import numpy as np
import tensorflow as tf


def train():
    x = tf.placeholder(tf.float32, [None])
    w = tf.Variable(2.0)
    step = tf.assign(w, tf.reduce_sum(x * w))
    data = np.ones(6)

    def batches():
        for i in range(3):
            yield data[i * 2:i * 2 + 2]

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in batches():
            sess.run(step, {x: batch})
        print(sess.run(w))


train()
"""


def test_a_generator_of_values_inside_a_function_stays() -> None:
    text = after(INNER)
    assert "            yield data[i * 2:i * 2 + 2]\n" in text
    assert "    for batch in batches():\n" in text


def test_a_generator_of_tensors_inside_a_function_keeps_the_session() -> None:
    assert stopped(INNER.replace("yield data[i * 2:i * 2 + 2]", "yield tf.ones([2])"))
