"""Variables that a loop's first round makes and the others find: ``reuse=(t > 0)``."""

from __future__ import annotations

import pytest

from tests.rewriters.test_sessions import after, stopped

NET = """\
import tensorflow as tf


def mix(h, x, reuse=False):
    with tf.variable_scope('mix', reuse=reuse):
        w = tf.get_variable('w', [3, 3])
        return tf.tanh(tf.matmul(h, w) + x)


x = tf.placeholder(tf.float32, [None, 4, 3])
h = tf.zeros_like(x[:, 0])
n = 4
for t in range(n):
    h = mix(h, x[:, t], reuse=(t != 0))
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {x: [[[1, 2, 3]] * 4]})[1])
"""


def changed(old: str, new: str) -> str:
    assert old in NET
    return NET.replace(old, new)


@pytest.mark.parametrize("said", ["t != 0", "t > 0", "t >= 1", "0 < t", "0 != t", "1 <= t"])
def test_they_are_made_before_the_loop(said: str) -> None:
    text = after(changed("t != 0", said))
    assert "reuse" not in text
    assert "mix_layer = mix()\n" in text
    assert " h = mix_layer(h, x[:, t])\n" in text


@pytest.mark.parametrize("rounds", ["range(0, n)", "range(4)"])
def test_loops_that_count_from_zero(rounds: str) -> None:
    assert "mix_layer = mix()\n" in after(changed("range(n)", rounds))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # Two rounds make some, and TF 1 stops at the second.
        ("t != 0", "t > 1"),
        ("t != 0", "t == 0"),
        # It doesn't begin with zero, or isn't seen to.
        ("range(n)", "range(1, n)"),
        ("range(n)", "range(n, 0, -1)"),
        ("range(n)", "range(0, n, 2)"),
        ("range(n)", "[0, 1, 2]"),
        ("    h = mix(", "    t = t % 2\n    h = mix("),
        # Another loop's number.
        ("    h = mix(h, x[:, t]", "    for k in range(2):\n        h = mix(h, x[:, k]"),
        # What isn't the loop's.
        ("t != 0", "n != 0"),
    ],
)
def test_what_else_says_that_they_are_found_stays(old: str, new: str) -> None:
    stopped(changed(old, new))
