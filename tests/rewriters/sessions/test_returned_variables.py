"""Functions that run a session and return variables beside numbers."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """import numpy as np
import tensorflow as tf


def model(n):
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, 2])
    w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
    b = {"b": tf.get_variable("b", [1], initializer=tf.zeros_initializer())}
    loss = tf.reduce_mean((tf.matmul(x, w) + b["b"] - 1) ** 2)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(n):
            _, l = sess.run([step, loss], {x: np.eye(2)})
    return l, w, b


w = 1
print(w)
"""


def upgraded(calls: str) -> Any:
    (result,) = texts({"program.py": (PROGRAM + calls).encode()}, Options())
    return result


@pytest.mark.parametrize(
    "calls",
    [
        "l, w, b = model(5)\nprint(l)\n",
        "l, _, b = model(5)\nprint(l)\n",
        "model(5)\n",
        "def show():\n    l, w, b = model(6)\n    return l\n",
    ],
)
def test_variables_that_nobody_reads(calls: str) -> None:
    result = upgraded(calls)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert "    return l, w, b\n" in result.after.decode()


@pytest.mark.parametrize(
    "calls",
    [
        "l, w, b = model(5)\nprint(w.name)\n",
        "l, w, b = model(5)\nwith tf.Session() as s:\n    print(s.run(w))\n",
        "found = model(5)\nprint(found[1])\n",
        "for i in range(2):\n    print(w)\n    l, w, b = model(5)\n",
        "def show():\n    return w\nl, w, b = model(5)\nprint(show())\n",
        "run = model\nl, w, b = run(5)\n",
    ],
)
def test_variables_that_are_read_keep_their_session(calls: str) -> None:
    result = upgraded(calls)
    assert result.level is Level.COMPAT
    assert "returns a part of its graph" in result.left[0].message
