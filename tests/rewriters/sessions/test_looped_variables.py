"""Variables of one name that a loop asks for in each round: they are made above it."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

NET = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4, 3])
h = tf.zeros([2, 3])
share = False
for t in range(4):
    with tf.variable_scope('rnn', reuse=share):
        w = tf.get_variable('w', [3, 3])
        # The gate.
        g = tf.get_variable('g', [3, 3], initializer=tf.constant_initializer(0.5))
        h = tf.tanh(tf.matmul(h, w) + tf.sigmoid(tf.matmul(x[:, t], g)))
    share = True
loss = tf.reduce_mean(tf.square(h - 1.0))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
print(sess.run([step, loss], {x: [[[1, 2, 3]] * 4] * 2})[1])
"""
MADE = (
    "w = tf.Variable(tf.keras.initializers.GlorotUniform()([3, 3]), name='rnn/w')\n"
    "g = tf.Variable(tf.constant(0.5, shape=[3, 3]), name='rnn/g')\n"
)


def changed(*pairs: tuple[str, str]) -> str:
    text = NET
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def test_they_are_made_above_it() -> None:
    text = after(NET)
    assert MADE in text
    assert "share" not in text
    assert "        for t in range(4):\n" in text
    assert "            h = tf.tanh(tf.matmul(h, w) + tf.sigmoid(" in text


@pytest.mark.parametrize(
    "pairs",
    [
        [("reuse=share", "reuse=t > 0 or None")],
        [("reuse=share", "reuse=tf.AUTO_REUSE")],
        [
            (
                ", reuse=share):",
                "):\n        if t > 0:\n            tf.get_variable_scope().reuse_variables()",
            )
        ],
        [(", reuse=share):", ") as s:\n        if share:\n            s.reuse_variables()")],
    ],
)
def test_however_it_is_said_that_they_are_found(pairs: list[tuple[str, str]]) -> None:
    text = after(changed(*pairs))
    assert MADE in text
    assert "compat.v1" not in text
    assert "reuse" not in text


def test_scopes_around_the_loop() -> None:
    text = after(
        changed(
            (
                "for t in range(4):\n    with tf.variable_scope('rnn', reuse=share):\n",
                "with tf.variable_scope('rnn'):\n    for t in range(4):\n"
                "        if t > 0:\n            tf.get_variable_scope().reuse_variables()\n",
            ),
            ("    share = True\n", ""),
        )
    )
    assert MADE in text


def test_a_constant_that_rounds_replace_is_a_functions_own() -> None:
    head, body = NET.split("h = tf.zeros")
    body, tail = body.split("loss =")
    inner = "".join(f"    {line}\n" for line in f"h = tf.zeros{body}".splitlines())
    text = after(f"{head}def net(x):\n{inner}    return h\n\n\nh = net(x)\nloss ={tail}")
    assert "    def apply(x):\n        h = tf.zeros([2, 3])\n" in text


def test_calls_over_several_lines() -> None:
    several = "'g',\n            [3, 3],\n            initializer"
    assert MADE in after(changed(("'g', [3, 3], initializer", several)))


def test_what_an_earlier_loop_made_stays() -> None:
    again = "q = h\nfor t in range(2):\n    with tf.variable_scope('rnn', reuse=tf.AUTO_REUSE):\n"
    again += "        u = tf.get_variable('w', [3, 3])\n        q = tf.matmul(q, u)\nloss ="
    assert "is found again" in stopped(
        changed(("loss =", again), ("reuse=share", "reuse=tf.AUTO_REUSE"))
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It is asked for in some rounds alone, which others may not reach.
        ("        w = tf.get", "        if t % 2:\n            w = tf.get"),
        # The round's number is in it.
        ("'g', [3, 3]", "'g', [3, 3 + 0 * t]"),
        # Another name's value is read before.
        ("        w = tf.get", "        h = h + w\n        w = tf.get"),
        # Two of one name.
        ("'g', [3, 3]", "'w', [3, 3]"),
    ],
)
def test_what_else_a_loop_makes_stays(old: str, new: str) -> None:
    stopped(changed((old, new)))
