"""Functions that run a session and are given to what isn't the program's."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

HEAD = """\
import numpy as np
import tensorflow as tf
from plots import show

x = tf.placeholder(tf.float32, [None, 2])
w = tf.Variable(tf.ones([2, 1]))
y = tf.matmul(x, w)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": (HEAD + source).encode()}, Options())
    return result


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "def predict(v, k=2):\n    return k * sess.run(y, {x: v})\n\nshow(predict)\n",
            "    return k * compute_y(v).numpy()\n\nshow(predict)\n",
        ),
        (
            "show(data=np.ones(3), f=lambda v: sess.run(y, {x: v}))\n",
            "def function(v):\n    return compute_y(v).numpy()\n"
            "show(data=np.ones(3), f=function)\n",
        ),
        (
            "if np.ones(1) > 0:\n    f = lambda v: sess.run(y, {x: v})\n    show(f)\n",
            "def f(v):\n    return compute_y(v).numpy()\nif np.ones(1) > 0:\n    show(f)\n",
        ),
        (
            "for k in range(3):\n    show(lambda v: k * sess.run(y, {x: v}))\n",
            "def function(v):\n    return k * compute_y(v).numpy()\n"
            "for k in range(3):\n    show(function)\n",
        ),
    ],
)
def test_a_function_that_is_given_away_calls_the_run_s_function(source: str, expected: str) -> None:
    result = upgrade(source)
    assert result.level is Level.NATIVE, [f.message for f in result.left]
    assert str(result.after, "utf-8").endswith(expected)


@pytest.mark.parametrize(
    "source",
    [
        # Made, or started anew, when nobody knows whether it was called already.
        "def f(v):\n    return sess.run(y, {x: v})\n\nshow(f)\nz = -y\nsess.run(z, {x: [[1]]})\n",
        "show(lambda v: sess.run(y, {x: v}))\nsess.run(tf.global_variables_initializer())\n",
        # What it is called with isn't seen.
        "def f(*v):\n    return sess.run(y, {x: v})\n\nshow(f)\n",
        "def f(s, v):\n    return s.run(y, {x: v})\n\nshow(f)\n",
        # It would read what only exists there, or when it is made.
        "show([lambda v: k * sess.run(y, {x: v}) for k in range(3)])\n",
        "for k in range(3):\n    show(lambda v, k=k: k * sess.run(y, {x: v}))\n",
        "if np.ones(1):\n    f = lambda v: sess.run(y, {x: v})\n    show(f)\nelse:\n    f = 1\n",
    ],
)
def test_others_keep_the_session(source: str) -> None:
    assert upgrade(source).level is Level.COMPAT
