"""Values of updates in a list, and branches on TensorFlow's version."""

from __future__ import annotations

from typing import Any

import pytest

from migrate.engine.findings import Level
from migrate.engine.options import Options
from migrate.engine.runner import texts

PROGRAM = """\
import tensorflow as tf
x = tf.placeholder(tf.float32, [None])
w = tf.Variable(1.0)
b = tf.Variable(2.0)
step = [
    tf.assign(w, w - 0.1),
    tf.assign(b, b - tf.reduce_mean(x)),
]
out = tf.reduce_sum(x)
{init}
with tf.Session() as sess:
    sess.run(init)
    found = sess.run([step, out], {{x: [1.0, 2.0]}})
    sess.run(step, {{x: [1.0, 2.0]}})
"""
PLAIN = "init = tf.global_variables_initializer()"
VERSION = """\
if {}:
    init = tf.initialize_all_variables()
else:
    init = tf.global_variables_initializer()"""


def written(init: str = PLAIN) -> tuple[Level | None, str]:
    (result,) = texts({"program.py": PROGRAM.format(init=init).encode()}, Options())
    assert result.after is not None
    return result.level, result.after.decode()


def test_the_values_of_updates_in_a_list() -> None:
    level, text = written()
    assert level is Level.NATIVE
    assert "    step_w = w.assign(w - 0.1)\n" in text
    assert "return [[step_w, step_b], out]" in text
    found: dict[str, Any] = {}
    exec(text, found)
    # TF 1.15.5
    (w, b), out = found["found"]
    assert (round(float(w), 5), float(b), float(out)) == (0.9, 0.5, 3.0)
    assert float(found["b"].numpy()) == -1.0


@pytest.mark.parametrize(
    "test",
    [
        "int((tf.__version__).split('.')[1]) < 12 and int(tf.__version__.split('.')[0]) < 1",
        "tf.__version__ <= '0.12'",
        "not tf.__version__.startswith('1.')",
    ],
)
def test_a_branch_on_the_version(test: str) -> None:
    level, text = written(VERSION.format(test))
    assert level is Level.NATIVE
    assert "__version__" not in text


def test_a_branch_on_more_than_the_version() -> None:
    level, text = written(VERSION.format("tf.__version__.split('.')[0] in OLD"))
    assert level is Level.COMPAT
    assert "__version__" in text
