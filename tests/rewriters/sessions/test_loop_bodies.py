"""Loops of a module that make a graph in each round."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

LOOP = """\
import numpy as np
import tensorflow as tf

data = np.ones((4, 3))
for rate in [0.01, 0.1]:
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, 3])
    w = tf.get_variable('w', [3], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * w, 1) - 1))
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(10):
            _, value = sess.run([step, loss], {x: data})
        print(rate, value)
print('done')
"""


def test_a_round_is_a_function() -> None:
    text = after(LOOP)
    assert "data = np.ones((4, 3))\n\n\ndef train(rate):\n    x = tf.TensorSpec(" in text
    assert "    optimizer = tf.keras.optimizers.SGD(rate)\n" in text
    assert text.endswith(
        "    print(rate, value)\n\n\nfor rate in [0.01, 0.1]:\n    train(rate)\nprint('done')\n"
    )


def test_a_name_that_is_declared_global_is_no_import() -> None:
    counting = "count = 0\n\n\ndef more():\n    global count\n    count += 1\n\n\n"
    text = after(LOOP.replace("data = np", counting + "data = np"))
    assert "def train(rate):\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print('done')", "print(value)"),  # the rest reads what the last round had
        ("range(10)", "range(int(rate))"),  # a round without any would read the one before
        ("    tf.reset_default_graph()\n", ""),  # TF 1 finds `w` there already
        ("        print(rate, value)", "        if value < 1:\n            break\n    print(rate)"),
    ],
)
def test_what_rounds_share_keeps_the_session(old: str, new: str) -> None:
    assert old in LOOP
    assert "a placeholder is made in a loop" in stopped(LOOP.replace(old, new))
