"""Constants that a loop computes anew and runs at once: TF 2 computes them where they stand."""

from __future__ import annotations

import pytest

from migrate.engine.findings import FileResult, Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = np.arange(6.0).reshape(3, 2)

def nearest(points, centers):
    return tf.argmin(tf.abs(tf.expand_dims(points, 0) - tf.expand_dims(centers, 1)), 0)

sess = tf.Session()
"""


def upgrade(source: str) -> FileResult:
    (result,) = texts({"program.py": (PROGRAM + source).encode()}, Options())
    return result


def test_a_name_is_bound_again_in_each_round() -> None:
    source = (
        "centers = x[:2]\n"
        "for i in range(3):\n"
        "    found = nearest(x, centers)\n"
        "    found = tf.cast(found, tf.float64)\n"
        "    centers = sess.run(found)[:2]\n"
        "print(sess.run(found))\n"
    )
    result = upgrade(source)
    assert result.level is Level.NATIVE
    assert result.after is not None
    text = result.after.decode()
    assert "    centers = found.numpy()[:2]\n" in text
    assert "print(found.numpy())" in text


@pytest.mark.parametrize(
    "source",
    [
        # Each run draws anew.
        "for i in range(3):\n    r = tf.random_normal([2]) + i\n    print(sess.run(r), sess.run(r))\n",
        # A run feeds what it is computed from.
        "a = tf.constant(1.0)\nfor i in range(3):\n    b = a + i\n    print(sess.run(b))\n"
        "print(sess.run(a, {a: 3.0}))\n",
        # It isn't a constant.
        "v = tf.Variable(1.0)\nsess.run(v.initializer)\n"
        "for i in range(3):\n    b = v + i\n    print(sess.run(b))\n",
    ],
)
def test_what_differs_from_run_to_run_keeps_the_session(source: str) -> None:
    result = upgrade(source)
    assert result.level is Level.COMPAT
    (reason,) = {f.message for f in result.left if f.rule == "TFM420"}
    assert reason.endswith("what is run here differs from call to call")
