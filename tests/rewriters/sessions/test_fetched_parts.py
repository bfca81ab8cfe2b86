"""Parts of tensors that names around a run tell."""

from __future__ import annotations

import pytest

from tests.rewriters.sessions.test_sessions import after, stopped

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3])
y = tf.tanh(x)
several = {"a": x + 1.0, "b": x * 2.0}


with tf.Session() as sess:
    for step in range(3):
        count = step + 1
        RUN
"""


def program(run: str) -> str:
    return PROGRAM.replace("RUN", run)


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("print(sess.run(y[:count], {x: rows}))", "print(compute_y(rows).numpy()[:count])"),
        (
            "part = sess.run(y[:count, step - 1], feed_dict={x: rows}).mean()",
            "part = compute_y(rows).numpy()[:count, step - 1].mean()",
        ),
        ("last = sess.run(y[-count], {x: rows})", "last = compute_y(rows).numpy()[-count]"),
    ],
)
def test_the_run_takes_its_part(run: str, found: str) -> None:
    source = program(run).replace("for step", "rows = np.ones([3, 3])\n    for step")
    assert found in after(source)


@pytest.mark.parametrize(
    "run",
    [
        "print(sess.run(y[:tf.constant(count)], {x: [[1, 2, 3]]}))",
        "print(sess.run([y[:count], y], {x: [[1, 2, 3]]}))",
        "print(sess.run(tf.nn.relu(y)[:count], {x: [[1, 2, 3]]}))",
    ],
)
def test_what_isnt_a_part_keeps_the_session(run: str) -> None:
    assert "changes in the loop" in stopped(program(run))
