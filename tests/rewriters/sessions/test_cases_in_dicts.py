"""`tf.case` of a dict whose keys are tensors: pairs, where their order is of no matter."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

HEAD = """\
import tensorflow as tf

x = tf.placeholder(tf.float32, [])
"""
RUN = "with tf.Session() as sess:\n    print(sess.run(out, {x: 1.0}))\n"


def test_pairs_stand_for_it() -> None:
    text = after(
        HEAD
        + "out = tf.case({x < 0: lambda: x, x > 2: lambda: 2 * x}, lambda: x + 1, exclusive=True)\n"
        + RUN
    )
    assert "tf.case([(x < 0, lambda: x), (x > 2, lambda: 2 * x)], " in text


def test_lines_stay_lines() -> None:
    text = after(
        HEAD
        + "out = tf.case({x < 0: lambda: x,\n               x > 2: lambda: 2 * x},\n"
        + "              default=lambda: x + 1, exclusive=True)\n"
        + RUN
    )
    assert "tf.case([(x < 0, lambda: x),\n" in text
    assert "(x > 2, lambda: 2 * x)],\n" in text


def test_a_single_one_has_no_order() -> None:
    assert "tf.case([(x < 0, lambda: x)]" in after(
        HEAD + "out = tf.case({x < 0: lambda: x}, default=lambda: x + 1)\n" + RUN
    )


@pytest.mark.parametrize(
    "call",
    [
        "tf.case({x < 0: lambda: x, x < 2: lambda: 2 * x}, default=lambda: x + 1)",
        "tf.case({x < 0: lambda: x, x < 2: lambda: 2 * x}, lambda: x, exclusive=strict)",
        "tf.case(dict([(x < 0, lambda: x)]), lambda: x, exclusive=True)",
    ],
)
def test_what_tf_1_sorts_or_hides_keeps_the_session(call: str) -> None:
    stopped(f"{HEAD}strict = bool(1)\nout = {call}\n{RUN}")
