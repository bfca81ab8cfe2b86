"""Tensors that each round of a loop makes alike and runs stand above the loop."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
w = tf.Variable(tf.ones([3, 2]))
parts = [w]
power = 2.0
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
for i in range(4):
    feed = {x: np.ones([2, 3])}
    if i % 2:
        most = tf.reduce_max(tf.pow(y, power),
                             axis=1)
        total = tf.reduce_sum(most)
        print(i, sess.run(total, feed))
"""


def test_they_are_made_once() -> None:
    text = after(PROGRAM)
    assert "        print(i, compute_total(**feed).numpy())\n" in text
    assert text.index("most = tf.reduce_max(") < text.index("for i in range(4):")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tf.pow(y, power)", "tf.pow(y, float(i))"),  # another one in each round
        ("tf.pow(y, power)", "tf.nn.dropout(y, 0.5)"),
        ("tf.pow(y, power)", "y * tf.add_n(parts)"),  # a list may grow
        ("tf.reduce_sum(most)", "tf.losses.mean_squared_error(most, most)"),  # a collection has it
        ("        print(i,", "        power = 3.0\n        print(i,"),
    ],
)
def test_what_differs_or_leaves_something_keeps_the_session(old: str, new: str) -> None:
    assert old in PROGRAM
    assert "what is run here differs from call to call" in stopped(PROGRAM.replace(old, new))


EARLIER = PROGRAM.replace("sess =", "total = tf.reduce_sum(y)\nsess =", 1)


def test_a_name_may_mean_something_else_above_the_loop() -> None:
    text = after(EARLIER)
    assert text.index("most = tf.reduce_max(") < text.index("for i in range(4):")
    assert "        print(i, compute_total(**feed).numpy())\n" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    if i % 2:", "    print(total.shape)\n    if i % 2:"),  # the earlier one, at first
        (
            "        print(i, sess.run(total, feed))\n",
            "        print(sess.run(total, feed))\ntotal",
        ),
    ],
)
def test_what_reads_the_earlier_one_keeps_the_session(old: str, new: str) -> None:
    assert old in EARLIER
    assert "what is run here differs from call to call" in stopped(EARLIER.replace(old, new))


def test_a_schedule() -> None:
    text = after(
        "import tensorflow as tf\nstep = tf.Variable(0, trainable=False)\n"
        "add = tf.assign_add(step, 1)\nwith tf.Session() as sess:\n"
        "    sess.run(tf.global_variables_initializer())\n    for _ in range(3):\n"
        "        rate = tf.train.exponential_decay(1.0, step, 5, 0.1)\n"
        "        print(sess.run(rate))\n        sess.run(add)\n"
    )
    assert text.index("rate = tf.keras.optimizers") < text.index("for _ in range(3):")
    assert "    print(rate(step).numpy())\n" in text


BEHIND = PROGRAM.replace("sum(most)", "sum(y)").replace(
    """        most = tf.reduce_max(tf.pow(y, power),
                             axis=1)
""",
    "",
)
AGAIN = "total = tf.reduce_sum(y)\nprint(sess.run(total, feed))\n"


def test_what_is_made_once_more_behind_the_loop_is_the_same() -> None:
    text = after(BEHIND + AGAIN)
    assert text.count("tf.reduce_sum(y)") == 1
    assert text.count("compute_total(**feed)") == 2


@pytest.mark.parametrize("other", ["y = tf.square(y)\n" + AGAIN, AGAIN.replace("sum", "max")])
def test_something_else_behind_the_loop_keeps_the_session(other: str) -> None:
    assert "what is run here differs from call to call" in stopped(BEHIND + other)


TWICE = (
    PROGRAM
    + """\
    if i > 2:
        total = tf.reduce_sum(most)
        print(sess.run(total + 1.0, feed))
"""
)


def test_what_is_made_twice_in_a_round_is_the_same() -> None:
    text = after(TWICE)
    assert text.count("reduce_sum(most)") == 1
    assert "    if i > 2:\n        print(" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "        total = tf.reduce_sum(most)\n        print(sess",
            "        total = tf.reduce_max(most)\n        print(sess",
        ),
        ("        print(sess.run(total + 1.0, feed))\n", ""),  # an empty branch
        ("        print(sess.run(total + 1.0, feed))\n", "        total += 1.0\n"),
    ],
)
def test_what_is_made_otherwise_in_a_round_keeps_the_session(old: str, new: str) -> None:
    assert old in TWICE
    assert "what is run here differs from call to call" in stopped(TWICE.replace(old, new))
