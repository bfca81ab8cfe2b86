"""Ops that a function builds at every call: built once above it, where they are of the module."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
logits = x * 2.0
sess = tf.Session()


"""
CALLS = """

print(guess(np.ones((3, 2))))
{between}print(guess(np.ones((1, 2))))
"""


def function(*body: str, after: str = "") -> str:
    """A program around a function that is called twice."""
    lines = "".join(f"    {line}\n" for line in body)
    run = "    return sess.run(best, feed_dict={x: v})\n"
    between = f"{after}\n" if after else ""
    return f"{HEAD}def guess(v):\n{lines}{run}{CALLS.format(between=between)}"


def test_the_ops_become_a_function_beside_it() -> None:
    text = after(function("total = tf.reduce_sum(logits, 1)", "best = tf.reduce_max(total)"))
    assert text.index("def compute_best(x):") < text.index("def guess(v):")
    assert "    return compute_best(v).numpy()" in text


def test_a_loop_calls_it_as_often_as_it_likes() -> None:
    text = function("# over the rows", "best = tf.reduce_sum(logits, 1)")
    looped = text.replace(
        "print(guess(np.ones((1, 2))))", "for i in range(3):\n    print(guess([[1, i]]))"
    )
    assert "    # over the rows\n    return tf.reduce_sum(logits, 1)" in after(looped)


@pytest.mark.parametrize(
    "text",
    [
        function("best = tf.reduce_sum(logits, 1) * len(v)"),  # of the call
        function("best = logits + tf.random_normal([1])"),  # other numbers at each call
        function("best = tf.layers.dense(logits, 2)"),  # other weights at each call
        function("best = tf.reduce_sum(logits, 1)", after="logits = logits + 1.0"),
        function("best = tf.reduce_sum(logits, 1)", after="best = 1.0"),
        function("if len(v) > 1:", "    best = tf.reduce_sum(logits, 1)"),
        function("best = tf.reduce_sum(x, axes)", after="axes.append(0)").replace(
            "logits =", "axes = [1]\nlogits ="
        ),
        HEAD.replace("logits = x * 2.0\n", "")
        + function("best = tf.reduce_sum(logits, 1)")
        .removeprefix(HEAD)
        .replace(
            "\n\nprint", "\n\nlogits = x * 2.0\nprint", 1
        ),  # there is no such tensor above the function
    ],
)
def test_ops_of_the_call_keep_the_session(text: str) -> None:
    assert stopped(text)
